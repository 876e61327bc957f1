import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startAgent, startService, tempDir, runProcess, startHttpUpstream } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { curl } from '../../src/curl.ts'
import { isThorough } from '../../src/thorough.ts'

const canMount =
  isThorough &&
  (await mounted().then(
    async (disk) => disk[Symbol.asyncDispose]().then(() => true),
    () => false,
  ))

it.runIf(canMount)(
  'an agent on a full disk refuses new tunnels, keeps serving, and recovers with free space',
  async () => {
    await using owned = new AsyncDisposableStack()
    const dir = owned.use(await tempDir())
    const disk = owned.use(await mounted())
    const upstream = owned.use(await startHttpUpstream())
    const service = owned.use(await startService({ dataDir: join(dir.path, 'service') }))
    const { token } = await (await service.createAccount()).createAuthtoken()
    const agent = owned.use(
      await startAgent({
        stateDir: join(disk.path, 'agent'),
        authtoken: token,
        connectUrl: service.connectUrl(),
        caFile: service.caFile,
      }),
    )
    const forwardsTo = `127.0.0.1:${upstream.port}`
    const served = (name: string): ReturnType<typeof curl> =>
      curl(`http://${name}.${service.zone}:${service.ports.edgeHttp}/`)
    await agent.createTunnel({ forwards_to: forwardsTo, domain: `first.${service.zone}` })
    await fill(disk.path)

    const refusal = agent.createTunnel({ forwards_to: forwardsTo, domain: `second.${service.zone}` })
    await expect(refusal).rejects.toThrow(/507.*disk/)
    expect((await served('first')).status).toBe(200)
    expect((await served('second')).status).toBe(404)
    expect(JSON.parse((await curl(`${agent.apiUrl}/tunnels`)).body)).toHaveLength(1)

    await rm(join(disk.path, 'filler'))
    await agent.createTunnel({ forwards_to: forwardsTo, domain: `second.${service.zone}` })
    expect((await served('second')).status).toBe(200)
  },
)

it.runIf(canMount)(
  'a service on a full disk refuses changes with a clear error, keeps serving, and recovers',
  async () => {
    await using owned = new AsyncDisposableStack()
    const disk = owned.use(await mounted(4))
    const service = owned.use(await startService({ dataDir: join(disk.path, 'service') }))
    const account = await service.createAccount()
    await fill(disk.path)
    const create = (n: number): Promise<unknown> =>
      account.call('POST', '/credentials', { description: `${n}`, metadata: 'm'.repeat(4000) })
    const fillLog = async (): Promise<void> => {
      for (let n = 0; n < 2000; n++) await create(n)
    }
    await expect(fillLog()).rejects.toThrow(/ answered 50[037]: .*ERR_SERVICE_/)
    const { credentials } = (await account.call('GET', '/credentials?limit=1')) as { credentials: unknown[] }
    expect(credentials.length).toBeLessThanOrEqual(1)
    await rm(join(disk.path, 'filler'))
    await expect(create(0)).resolves.toHaveProperty('id')
  },
)

/** A file system of its own, `megabytes` large. */
async function mounted(megabytes = 1): Promise<AsyncDisposable & { readonly path: string }> {
  const dir = await tempDir()
  try {
    await runProcess('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', dir.path])
  } catch (error) {
    await dir[Symbol.asyncDispose]()
    throw error
  }
  return {
    path: dir.path,
    async [Symbol.asyncDispose]() {
      await runProcess('umount', [dir.path])
      await dir[Symbol.asyncDispose]()
    },
  }
}

async function fill(path: string): Promise<void> {
  const filler = join(path, 'filler')
  for (const size of [1 << 20, 1 << 12, 1]) {
    const more = async (): Promise<void> => writeFile(filler, Buffer.alloc(size), { flag: 'a' }).then(more)
    await more().catch(() => undefined)
  }
}
