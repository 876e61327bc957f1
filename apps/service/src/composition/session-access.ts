import type { Logger } from 'pino'
import type { Management } from '../resources/management.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** Lets changes of credentials and reservations act on the sessions that are online. */
export function followAccess(sessions: Sessions, { changes, resources }: Management, log: Logger): void {
  const { credentials, reservedDomains, agentIngresses } = resources
  changes.listen('cr', ({ id, change }) => {
    if (change === 'deleted') return sessions.closeByCredential(id)
    const applied = credentials.find(id).then((found) => found && sessions.applyAcl(id, found.body.acl))
    applied.catch((error: unknown) => log.error({ err: error, id }, 'changed rules do not act yet'))
  })
  const reservations = { rd: reservedDomains, agin: agentIngresses } as const
  for (const prefix of ['rd', 'agin'] as const)
    changes.listen(prefix, ({ id, change }) => {
      if (change === 'deleted') return
      const reserved: Promise<{ readonly body: { readonly domain: string } } | undefined> =
        reservations[prefix].find(id)
      const applied = reserved.then((found) => found && sessions.applyReservation(found.body.domain))
      applied.catch((error: unknown) => log.error({ err: error, id }, 'a reservation does not act yet'))
    })
}
