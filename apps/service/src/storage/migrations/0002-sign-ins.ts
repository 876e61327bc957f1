import type { Kysely, RawBuilder } from 'kysely'

/** Sign-ins at the dashboard; only the hash of a cookie's token is stored. */
export function signInsSchema(bytewiseText: RawBuilder<unknown>) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('sign_ins')
        .addColumn('token_hash', 'text', (column) => column.primaryKey())
        .addColumn('account_id', bytewiseText, (column) =>
          column.notNull().references('accounts.id').onDelete('cascade'),
        )
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('sign_ins_by_account').on('sign_ins').column('account_id').execute()
      await db.schema.createIndex('sign_ins_by_expiry').on('sign_ins').column('expires_at').execute()
    },
  }
}
