import { useQuery } from '@tanstack/react-query'
import type { AccountEvent } from '@tunnel/api-client'
import { api } from '../api/client.ts'
import { labelsText } from '../ui/labels-text.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { Time } from '../ui/time.tsx'

/** What the service remembers of a session, also after its end. */
export function SessionHistory({ id }: { readonly id: string }) {
  const { data = [], error } = useQuery({
    // The path names what the history tells of: events of tunnels and of sessions refresh it.
    queryKey: [`/events/tunnels/${id}`],
    queryFn: () => api.events.recent(id),
  })
  return (
    <section>
      <h2>History</h2>
      <ErrorNotice error={error} />
      {data.length === 0 && <p className="muted">The service remembers nothing of this session any more.</p>}
      <ul className="history card" hidden={data.length === 0}>
        {data.map((event) => (
          <li key={event.event_id}>
            <Time value={event.event_timestamp} />
            <span>{describe(event)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function tunnelName({ public_url: url, labels }: AccountEvent['object']): string {
  if (typeof url === 'string') return `The tunnel of ${url}`
  return `The tunnel with labels ${labelsText((labels ?? {}) as Record<string, string>)}`
}

/** One event in words. */
function describe({ event_type: type, object }: AccountEvent): string {
  switch (type) {
    case 'tunnel_session_started.v0':
      return 'The agent came online.'
    case 'tunnel_session_stopped.v0':
      return object['code'] === 'lost' ? 'The connection was lost.' : `The session ended: ${String(object['reason'])}.`
    case 'tunnel_started.v0':
      return `${tunnelName(object)} started.`
    case 'tunnel_stopped.v0':
      return `${tunnelName(object)} stopped.`
    default:
      return type
  }
}
