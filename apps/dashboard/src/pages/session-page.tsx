import { ApiError } from '@tunnel/api-client'
import { api } from '../api/client.ts'
import { Link, useParams } from 'react-router'
import { useListing, useResource } from '../api/queries.ts'
import { ResourceLink } from '../resource/resource-link.tsx'
import { tunnelCommand } from '../resources/tunnel-command.ts'
import { Details } from '../ui/details.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { CommandButtons, CommandOutcome, useAgentCommands } from './agent-commands.tsx'
import { SessionHistory } from './session-history.tsx'
import { TunnelTable } from './tunnels-page.tsx'

/** One session: what is known of the agent, its tunnels, the commands it takes, and what happened to it. */
export function SessionPage() {
  const { id = '' } = useParams()
  const { data, error } = useResource(api.tunnelSessions, id)
  const commands = useAgentCommands(id)
  const isOver = data !== undefined && error instanceof ApiError && error.isNotFound
  return (
    <Page title={data?.metadata || `Session ${id}`} actions={data && !isOver && <CommandButtons {...commands} />}>
      <CommandOutcome {...commands} />
      {isOver ? <Notice look="info">This session is over.</Notice> : <ErrorNotice error={error} />}
      {(isOver || (data === undefined && error !== null)) && <Link to="/sessions">All sessions that are online</Link>}
      {data !== undefined && (
        <>
          <Details
            rows={[
              ['Address', data.ip],
              ['Agent', data.agent_version],
              ['System', data.os],
              ['Region', data.region],
              ['Transport', data.transport],
              [
                'Authtoken',
                <ResourceLink key="credential" to={api.credentials} page="authtokens" id={data.credential.id} />,
              ],
              ['Online since', <Time key="since" value={data.started_at} />],
              ['Metadata', data.metadata && <pre key="metadata">{data.metadata}</pre>],
              ['Id', <code key="id">{id}</code>],
            ]}
          />
          <h2>Tunnels</h2>
          <TunnelsOfSession id={id} />
        </>
      )}
      <SessionHistory id={id} />
    </Page>
  )
}

function TunnelsOfSession({ id }: { readonly id: string }) {
  const { data } = useListing(api.tunnels)
  const tunnels = data?.filter((tunnel) => tunnel.tunnel_session.id === id)
  if (tunnels?.length === 0)
    return (
      <Empty title="It has no tunnel" command={tunnelCommand()}>
        <p>Start one on the device:</p>
      </Empty>
    )
  return <TunnelTable tunnels={tunnels ?? []} isOfOneSession />
}
