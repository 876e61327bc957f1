import { useCollection } from '../api/queries.ts'
import type { AgentIngress, ReservedDomain, Tunnel, TunnelSession } from '../resource/shapes.ts'
import { agentIngressView, reservedDomainView } from '../resources/domains.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { sessionCollection } from './sessions-page.tsx'
import { TrafficCharts } from './traffic-charts.tsx'
import { tunnelCollection } from './tunnels-page.tsx'

/** The state of the fleet at a glance, and what needs attention. */
export function OverviewPage() {
  const sessions = useCollection<TunnelSession>(sessionCollection)
  const tunnels = useCollection<Tunnel>(tunnelCollection)
  const domains = useCollection<ReservedDomain>(reservedDomainView.collection)
  const ingresses = useCollection<AgentIngress>(agentIngressView.collection)
  const certificates = [...(domains.data ?? []), ...(ingresses.data ?? [])]
  return (
    <Page title="Overview">
      <ErrorNotice error={sessions.error ?? tunnels.error} />
      <div className="tiles">
        <Tile label="Sessions online" value={sessions.data?.length} to="/sessions" />
        <Tile label="Tunnels online" value={tunnels.data?.length} to="/tunnels" />
        <Tile label="Domains" value={domains.data?.length} to="/reserved-domains" />
        <Tile label="Agent ingresses" value={ingresses.data?.length} to="/agent-ingresses" />
      </div>
      {certificates.map(({ id, domain, certificate_management_status: status }) =>
        status?.provisioning_job?.error_code ? (
          <Notice key={id} look="warning">
            The certificate of {domain}: {status.provisioning_job.msg}
          </Notice>
        ) : null,
      )}
      {sessions.data?.length === 0 && (
        <Empty
          title="Connect a first device"
          command="SERVICE_AUTHTOKEN=… SERVICE_CONNECT_URL=wss://… npm run --silent agent -- run"
        >
          <p>
            Create an authtoken under <a href="/dashboard/authtokens">Authtokens</a>, then on the device:
          </p>
        </Empty>
      )}
      <TrafficCharts />
    </Page>
  )
}

function Tile({
  label,
  value,
  to,
}: {
  readonly label: string
  readonly value: number | undefined
  readonly to: string
}) {
  return (
    <a className="tile" href={`/dashboard${to}`}>
      <strong>{value ?? '…'}</strong>
      <span>{label}</span>
    </a>
  )
}
