import { type Kysely, type RawBuilder, sql } from 'kysely'

/** The first release's schema. Never edit it: later changes are migrations of their own. */
export function firstSchema(bytewiseText: RawBuilder<unknown>) {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('accounts')
        .addColumn('id', bytewiseText, (column) => column.primaryKey())
        .addColumn('email', 'text', (column) => column.notNull().unique())
        .addColumn('user_id', 'text', (column) => column.notNull().unique())
        .addColumn('password_hash', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute()
      await createResources(db, bytewiseText)
      await createSatellites(db, bytewiseText)
    },
  }
}

async function createResources(db: Kysely<unknown>, bytewiseText: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('resources')
    .addColumn('id', bytewiseText, (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('parent_id', bytewiseText, (column) => column.references('resources.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('resources_by_kind').on('resources').columns(['kind', 'account_id', 'id']).execute()
  await sql`create index resources_by_parent on resources (parent_id, id) where parent_id is not null`.execute(db)
}

async function createSatellites(db: Kysely<unknown>, bytewiseText: RawBuilder<unknown>): Promise<void> {
  await db.schema
    .createTable('resource_links')
    .addColumn('from_id', bytewiseText, (column) => column.notNull().references('resources.id').onDelete('cascade'))
    .addColumn('to_id', bytewiseText, (column) => column.notNull().references('resources.id'))
    .addPrimaryKeyConstraint('resource_links_key', ['from_id', 'to_id'])
    .execute()
  await db.schema.createIndex('resource_links_by_target').on('resource_links').column('to_id').execute()
  await db.schema
    .createTable('unique_keys')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', bytewiseText, (column) => column.notNull())
    .addColumn('resource_id', bytewiseText, (column) => column.notNull().references('resources.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('unique_keys_key', ['name', 'value'])
    .execute()
  await db.schema.createIndex('unique_keys_by_resource').on('unique_keys').column('resource_id').execute()
  await db.schema
    .createTable('secrets')
    .addColumn('resource_id', bytewiseText, (column) => column.notNull().references('resources.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('secrets_key', ['resource_id', 'name'])
    .execute()
  await db.schema
    .createTable('tombstones')
    .addColumn('id', bytewiseText, (column) => column.primaryKey())
    .addColumn('deleted_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('tombstones_by_age').on('tombstones').column('deleted_at').execute()
}
