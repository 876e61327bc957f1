import type { TunnelSession } from '@tunnel/models'
import { Link } from 'react-router'
import { api } from '../api/client.ts'
import { useListing } from '../api/queries.ts'
import { AgentCommand } from '../resources/agent-command.tsx'
import type { CertificateManagement } from '../resources/certificate-state.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { outdated } from './agent-versions.ts'
import { TrafficCharts } from './traffic-charts.tsx'

/** The state of the fleet at a glance, and what needs attention. */
export function OverviewPage() {
  const sessions = useListing(api.tunnelSessions)
  const tunnels = useListing(api.tunnels)
  const domains = useListing(api.reservedDomains)
  const ingresses = useListing(api.agentIngresses)
  return (
    <Page title="Overview">
      <ErrorNotice error={sessions.error ?? tunnels.error ?? domains.error ?? ingresses.error} />
      <div className="tiles">
        <Tile label="Sessions online" value={countOf(sessions)} to="/sessions" />
        <Tile label="Tunnels online" value={countOf(tunnels)} to="/tunnels" />
        <Tile label="Reserved domains" value={countOf(domains)} to="/reserved-domains" />
        <Tile label="Agent ingresses" value={countOf(ingresses)} to="/agent-ingresses" />
      </div>
      {domains.data?.map((item) => (
        <CertificateAlert key={item.id} item={item} page="reserved-domains" />
      ))}
      {ingresses.data?.map((item) => (
        <CertificateAlert key={item.id} item={item} page="agent-ingresses" />
      ))}
      <UpdateAlert sessions={sessions.data ?? []} />
      {sessions.data?.length === 0 && <FirstDevice />}
      <TrafficCharts />
    </Page>
  )
}

/** Not known while a long list is still being read. */
function countOf(list: { readonly data: readonly unknown[] | undefined; readonly isPlaceholderData: boolean }) {
  return list.isPlaceholderData ? undefined : list.data?.length
}

interface TileProps {
  readonly label: string
  readonly value: number | undefined
  readonly to: string
}

function Tile({ label, value, to }: TileProps) {
  return (
    <Link className="tile" to={to}>
      <strong>{value?.toLocaleString() ?? '…'}</strong>
      <span>{label}</span>
    </Link>
  )
}

interface CertificateAlertProps {
  readonly item: CertificateManagement & { readonly id: string; readonly domain: string }
  readonly page: string
}

function CertificateAlert({ item, page }: CertificateAlertProps) {
  const job = item.certificate_management_status?.provisioning_job
  if (!job?.error_code) return null
  return (
    <Notice look="warning">
      The certificate of <Link to={`/${page}/${item.id}`}>{item.domain}</Link> needs attention: {job.msg}
    </Notice>
  )
}

function UpdateAlert({ sessions }: { readonly sessions: readonly TunnelSession[] }) {
  const { newest, count } = outdated(sessions.map((session) => session.agent_version))
  if (count === 0) return null
  return (
    <Notice look="info">
      {count === 1 ? 'One agent runs' : `${count.toLocaleString()} agents run`} a version older than {newest}. Find{' '}
      {count === 1 ? 'it' : 'them'} by version under <Link to="/sessions">Sessions</Link>, then update and restart{' '}
      {count === 1 ? 'it' : 'them'}.
    </Notice>
  )
}

function FirstDevice() {
  return (
    <Empty title="Connect a first device">
      <p>
        Create an authtoken under <Link to="/authtokens">Authtokens</Link>, then on the device:
      </p>
      <AgentCommand />
    </Empty>
  )
}
