import type { Database } from './tables.ts'

/** A value that one resource at most may hold, across all accounts unless `value` contains the account. */
export interface UniqueKey {
  readonly name: string
  readonly value: string
}

/** The unique keys with one of the values, and those from `from` on and below `to`, compared byte by byte. */
export interface KeySpan {
  readonly name: string
  readonly values: readonly string[]
  readonly range?: { readonly from: string; readonly to: string }
}

/** What the database guards for a resource, besides its body. */
export interface Guards {
  /** Ids that this resource cannot live without; none of them can be deleted while it exists. */
  readonly links: readonly string[]
  readonly uniqueKeys: readonly UniqueKey[]
  /** Where no other account may hold a key. */
  readonly exclusive?: readonly KeySpan[]
}

/** Another account holds a key where one account's alone may be. */
export class SpanOccupied extends Error {
  override readonly name = 'SpanOccupied'
}

interface Guarded {
  readonly id: string
  readonly accountId: string
}

/** `takeTurn` resolves when no other change, of whatever process, decides about spans until this one has ended. */
export async function insertGuards(
  db: Database,
  { id, accountId }: Guarded,
  { links, uniqueKeys, exclusive = [] }: Guards,
  takeTurn: () => Promise<void>,
): Promise<void> {
  if (exclusive.length > 0) await takeTurn()
  for (const span of exclusive)
    if (await isOccupied(db, accountId, span)) throw new SpanOccupied(`Another account holds a ${span.name} there.`)
  const targets = [...new Set(links)]
  if (targets.length > 0)
    await db
      .insertInto('resource_links')
      .values(targets.map((target) => ({ from_id: id, to_id: target })))
      .execute()
  if (uniqueKeys.length > 0)
    await db
      .insertInto('unique_keys')
      .values(uniqueKeys.map((key) => ({ ...key, resource_id: id })))
      .execute()
}

export async function removeGuards(db: Database, { id }: Guarded): Promise<void> {
  await db.deleteFrom('resource_links').where('from_id', '=', id).execute()
  await db.deleteFrom('unique_keys').where('resource_id', '=', id).execute()
}

async function isOccupied(db: Database, accountId: string, { name, values, range }: KeySpan): Promise<boolean> {
  const others = db
    .selectFrom('unique_keys')
    .innerJoin('resources', 'resources.id', 'unique_keys.resource_id')
    .select('resources.id')
    .where('unique_keys.name', '=', name)
    .where('resources.account_id', '!=', accountId)
    .limit(1)
  const queries = [
    ...(values.length === 0 ? [] : [others.where('value', 'in', values)]),
    ...(range === undefined ? [] : [others.where('value', '>=', range.from).where('value', '<', range.to)]),
  ]
  for (const query of queries) if ((await query.executeTakeFirst()) !== undefined) return true
  return false
}
