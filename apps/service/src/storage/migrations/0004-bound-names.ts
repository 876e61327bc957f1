import type { Kysely, RawBuilder } from 'kysely'

/** Names that agents serve, or are expected to serve again. */
export function boundNamesSchema(bytewiseText: RawBuilder<unknown>) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('bound_names')
        .addColumn('name', bytewiseText, (column) => column.primaryKey())
        .addColumn('bound_at', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('bound_names_by_time').on('bound_names').column('bound_at').execute()
    },
  }
}
