import type { Secrets } from './secrets.ts'
import type { ServiceValues } from './service-values.ts'
import type { Database } from './tables.ts'

/** The store holds secrets that the master key file cannot open. */
export class MasterKeyLostError extends Error {
  override readonly name = 'MasterKeyLostError'

  constructor(keyId: string, file: string, options: ErrorOptions) {
    super(
      `${file} is not the master key file of this store: what was sealed with key ${keyId} does not open. ` +
        'Restore the file from a backup; without it the private keys in the store are lost.',
      options,
    )
  }
}

interface SealedStores {
  readonly db: Database
  readonly secrets: Secrets
  readonly values: ServiceValues
  readonly masterKeyFile: string
}

/** Opens one secret of every key that sealed any: a start with the wrong file would only hide the loss. */
export async function refuseLostKeys({ db, secrets, values, masterKeyFile }: SealedStores): Promise<void> {
  const open = async (keyId: string, read: () => Promise<unknown>): Promise<void> => {
    await read().catch((cause: unknown) => {
      throw new MasterKeyLostError(keyId, masterKeyFile, { cause })
    })
  }
  for (const { key_id } of await db.selectFrom('secrets').select('key_id').distinct().execute()) {
    const sample = db.selectFrom('secrets').select(['resource_id', 'name']).where('key_id', '=', key_id)
    const row = await sample.limit(1).executeTakeFirst()
    if (row !== undefined) await open(key_id, () => secrets.read(row.resource_id, row.name))
  }
  for (const { key_id } of await db.selectFrom('service_values').select('key_id').distinct().execute()) {
    const sample = db.selectFrom('service_values').select('name').where('key_id', '=', key_id)
    const row = await sample.limit(1).executeTakeFirst()
    if (row !== undefined) await open(key_id, () => values.read(row.name))
  }
}
