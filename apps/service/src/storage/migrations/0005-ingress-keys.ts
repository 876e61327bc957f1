import type { Migration } from 'kysely/migration'
import type { Database } from '../tables.ts'

/** The domains of agent ingresses are found as reserved domains are: by their labels in reverse. */
export const ingressKeys: Migration = {
  async up(db: Database): Promise<void> {
    const keys = await db.selectFrom('unique_keys').select('value').where('name', '=', 'ingress_domain').execute()
    for (const { value } of keys)
      await db
        .updateTable('unique_keys')
        .set({ name: 'agent_ingress', value: value.split('.').toReversed().join('.') })
        .where('name', '=', 'ingress_domain')
        .where('value', '=', value)
        .execute()
  },
}
