import { join } from 'node:path'
import { startService, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { Fleet } from '../../src/fleet.ts'
import { isThorough } from '../../src/thorough.ts'

const AGENTS = 200
const BACK_LIMIT_MS = 60_000
// Two seconds are theirs to come back in; those whose turn came while the service was still starting follow together.
const ONE_SECOND_SHARE_MAX = 0.9

it.runIf(isThorough)(
  '200 agents come back after a restart of the service, and not all at once',
  { timeout: 180_000 },
  async () => {
    await using owned = new AsyncDisposableStack()
    const { path: dataDir } = owned.use(await tempDir())
    const first = await startService({ dataDir: join(dataDir, 'service') })
    const { token } = await (await first.createAccount()).createAuthtoken()
    const connectUrl = first.connectUrl('plain')
    const fleet = owned.use(new Fleet({ connectUrl, caFile: null, authtoken: token, count: AGENTS }))
    await fleet.start()
    await first[Symbol.asyncDispose]()
    fleet.onlineAtMs.length = 0
    owned.use(await startService({ dataDir: join(dataDir, 'service'), ports: first.ports }))
    await fleet.untilAllOnline(BACK_LIMIT_MS)
    expect(mostInOneSecond(fleet.onlineAtMs)).toBeLessThan(AGENTS * ONE_SECOND_SHARE_MAX)
  },
)

function mostInOneSecond(timesMs: readonly number[]): number {
  return Math.max(...timesMs.map((start) => timesMs.filter((time) => time >= start && time < start + 1000).length))
}

it.each(['tls', 'plain'] as const)(
  'a service that stops tells its agents when to come back, in %s',
  async (carrier) => {
    await using owned = new AsyncDisposableStack()
    const { path } = owned.use(await tempDir())
    const service = owned.use(await startService({ dataDir: join(path, 'service') }))
    const { token } = await (await service.createAccount()).createAuthtoken()
    const setup = { connectUrl: service.connectUrl(carrier), caFile: service.caFile, authtoken: token, count: 20 }
    const fleet = owned.use(new Fleet(setup))
    await fleet.start()
    await service.process.stop()
    expect(fleet.problems.get('shutdown')).toBe(20)
    expect(fleet.problems.get('connection_lost')).toBeUndefined()
  },
)
