import { join } from 'node:path'
import { type Account, startService, tempDir } from '@tunnel/testkit'
import { type LoadOptions, type LoadResult, runWrk } from '../load/wrk.ts'

const authorities = '/ssh_certificate_authorities'

/** A service with its embedded store, and one authority in it. */
export interface ApiLab extends AsyncDisposable {
  readonly account: Account
  readonly authorityId: string
  /** Loads a path of the API with the account's key. */
  load(path: string, options: Omit<LoadOptions, 'path' | 'headers'>): Promise<LoadResult>
}

export async function startApiLab(): Promise<ApiLab> {
  await using stack = new AsyncDisposableStack()
  const { path: dir } = stack.use(await tempDir())
  const service = stack.use(await startService({ dataDir: join(dir, 'service') }))
  const account = await service.createAccount()
  const { id } = (await account.call('POST', authorities, {})) as { id: string }
  const headers = {
    Authorization: `Bearer ${account.apiKey}`,
    'Service-Version': '2',
    'Content-Type': 'application/json',
  }
  const target = { port: service.ports.api, host: '127.0.0.1' }
  const owned = stack.move()
  return {
    account,
    authorityId: id,
    load: (path, options) => runWrk(target, { ...options, path, headers }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Keeps one RSA key of 4096 bits in the making until `stop`; returns how many there were. */
export async function makeRsaKeys(account: Account, stop: AbortSignal): Promise<number> {
  let made = 0
  for (; !stop.aborted; made += 1) await account.call('POST', authorities, { private_key_type: 'rsa', key_size: 4096 })
  return made
}
