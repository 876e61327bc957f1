import type { AccountEvents } from './account-events.ts'

interface Change {
  readonly kind: string
  readonly id: string
  readonly accountId: string
  readonly change: 'created' | 'updated' | 'deleted'
}

interface Model {
  readonly prefix: string
  /** For people, such as `IP policy`. */
  readonly title: string
}

/** Turns changes of stored resources into events such as `ip_policy_created`. */
export function changePublisher(events: AccountEvents, models: readonly Model[]): (change: Change) => void {
  // Where two collections show the same things, the first names them.
  const names = new Map(
    models.toReversed().map(({ prefix, title }) => [prefix, title.toLowerCase().replaceAll(' ', '_')]),
  )
  return ({ kind, id, accountId, change }) =>
    events.publish(accountId, `${names.get(kind) ?? 'resource'}_${change}`, { id })
}
