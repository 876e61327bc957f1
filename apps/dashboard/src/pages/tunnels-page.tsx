import { api } from '../api/client.ts'
import { useListing } from '../api/queries.ts'
import type { Tunnel } from '@tunnel/models'
import { ResourceLink } from '../resource/resource-link.tsx'
import { tunnelCommand } from '../resources/tunnel-command.ts'
import { DataTable, type DataColumn } from '../ui/data-table.tsx'
import { sessionName } from './session-name.ts'
import { labelsText } from '../ui/labels-text.ts'
import { Empty } from '../ui/empty.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'

/** Every tunnel that is online, with the address it is reached at and the program behind it. */
export function TunnelsPage() {
  const { data, error, isPlaceholderData } = useListing(api.tunnels)
  return (
    <Page title="Tunnels" intro="Public addresses that are online now, and where their agents send the traffic.">
      <ErrorNotice error={error} />
      {data?.length === 0 ? (
        <Empty title="No tunnel is online" command={tunnelCommand()}>
          <p>On a device with a running agent:</p>
        </Empty>
      ) : (
        <TunnelTable tunnels={data ?? []} isPartial={isPlaceholderData} />
      )}
    </Page>
  )
}

interface TunnelTableProps {
  readonly tunnels: readonly Tunnel[]
  readonly isPartial?: boolean
  /** Then it need not be said which. */
  readonly isOfOneSession?: boolean
}

const columns: readonly DataColumn<Tunnel>[] = [
  { id: 'url', title: 'Address', text: addressOf, cell: (tunnel) => <Address tunnel={tunnel} /> },
  { id: 'proto', title: 'Protocol', text: (tunnel) => tunnel.proto ?? 'labels', width: 90 },
  { id: 'to', title: 'Forwards to', text: (tunnel) => tunnel.forwards_to },
  {
    id: 'session',
    title: 'Session',
    text: (tunnel) => tunnel.tunnel_session.id,
    cell: ({ tunnel_session: { id } }) => (
      <ResourceLink to={api.tunnelSessions} page="sessions" id={id} nameOf={sessionName} />
    ),
  },
  {
    id: 'started',
    title: 'Online since',
    text: (tunnel) => tunnel.started_at,
    cell: (tunnel) => <Time value={tunnel.started_at} />,
    width: 225,
  },
]

export function TunnelTable({ tunnels, isPartial = false, isOfOneSession = false }: TunnelTableProps) {
  return (
    <DataTable
      label="Tunnels"
      items={tunnels}
      isPartial={isPartial}
      columns={isOfOneSession ? columns.filter(({ id }) => id !== 'session') : columns}
    />
  )
}

/** The protocol has a column of its own. */
function addressOf(tunnel: Tunnel): string {
  return tunnel.public_url?.replace(/^\w+:\/\//, '') ?? labelsText(tunnel.labels ?? {})
}

function Address({ tunnel }: { readonly tunnel: Tunnel }) {
  if (!/^https?:\/\//.test(tunnel.public_url ?? '')) return addressOf(tunnel)
  return (
    <a href={tunnel.public_url} target="_blank" rel="noreferrer" title={tunnel.public_url}>
      {addressOf(tunnel)}
    </a>
  )
}
