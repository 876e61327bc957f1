import type { SessionDirectory } from '../resources/tunnel-sessions/online.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** Shows the sessions of this process to the management API. */
export function sessionDirectory(sessions: Sessions): SessionDirectory {
  return {
    sessions: (accountId) => sessions.list(accountId),
    tunnels: (accountId) =>
      sessions.tunnels(accountId).map(({ facts, bind, forwardsTo }) => ({
        ...facts,
        forwardsTo,
        labels: bind.labels ?? {},
        metadata: bind.metadata ?? '',
      })),
    command: async (session, { command, ...more }) => {
      const version = 'version' in more ? more.version : undefined
      await sessions.command(session.accountId, session.id, command, version)
    },
  }
}
