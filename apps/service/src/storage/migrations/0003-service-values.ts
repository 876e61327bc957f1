import type { Kysely, RawBuilder } from 'kysely'

/** What the service itself has to keep: keys and states that belong to no account. Every value is sealed. */
export function serviceValuesSchema(bytewiseText: RawBuilder<unknown>) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('service_values')
        .addColumn('name', bytewiseText, (column) => column.primaryKey())
        .addColumn('revision', 'integer', (column) => column.notNull())
        .addColumn('key_id', 'text', (column) => column.notNull())
        .addColumn('sealed', 'text', (column) => column.notNull())
        .execute()
    },
  }
}
