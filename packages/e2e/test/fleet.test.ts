import { join } from 'node:path'
import { SessionConnector } from '@tunnel/device-agent/src/session/connector.ts'
import { Trust } from '@tunnel/device-agent/src/network/trust.ts'
import { dial } from '@tunnel/device-agent/src/session/dial.ts'
import { type RunningService, startService, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { eventually } from '../src/eventually.ts'
import { plainHello } from '../src/session-client.ts'
import { isThorough } from '../src/thorough.ts'

const AGENTS = 200
const BACK_LIMIT_MS = 60_000
const ONE_SECOND_SHARE_MAX = 2 / 3

it.runIf(isThorough)(
  '200 agents come back after a restart of the service, and not all at once',
  { timeout: 180_000 },
  async () => {
    await using owned = new AsyncDisposableStack()
    const { path: dataDir } = owned.use(await tempDir())
    const first = await startService({ dataDir: join(dataDir, 'service') })
    const { token } = await (await first.createAccount()).createAuthtoken()
    const fleet = owned.use(new Fleet(first, token))
    await eventually(() => fleet.allOnline(), BACK_LIMIT_MS)
    await first[Symbol.asyncDispose]()
    fleet.onlineAtMs.length = 0
    owned.use(await startService({ dataDir: join(dataDir, 'service'), ports: first.ports }))
    await eventually(() => fleet.allOnline(), BACK_LIMIT_MS)
    expect(mostInOneSecond(fleet.onlineAtMs)).toBeLessThan(AGENTS * ONE_SECOND_SHARE_MAX)
  },
)

/** The session halves of many agents, in this process. */
class Fleet implements AsyncDisposable {
  readonly onlineAtMs: number[] = []
  readonly #connectors: SessionConnector[]
  #onlineCount = 0

  constructor(service: RunningService, token: string) {
    const target = { connectUrl: service.connectUrl('plain'), proxy: null, trust: new Trust(null) }
    this.#connectors = Array.from({ length: AGENTS }, () => this.#connector(target, token))
    for (const connector of this.#connectors) connector.start()
  }

  /** Rejects while agents are missing. */
  async allOnline(): Promise<void> {
    if (this.#onlineCount < AGENTS) throw new Error(`${this.#onlineCount} of ${AGENTS} agents are online`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#connectors.map((connector) => connector.stop(0)))
  }

  #connector(target: Parameters<typeof dial>[0], token: string): SessionConnector {
    return new SessionConnector(
      { dial: (signal) => dial(target, signal), buildHello: async () => plainHello(token), random: Math.random },
      {
        onOnline: () => {
          this.#onlineCount++
          this.onlineAtMs.push(performance.now())
        },
        onOffline: () => this.#onlineCount--,
        onMessage: () => {},
        onStream: (stream) => stream.reset('refused'),
        onRefused: async () => {},
        onRetryPlanned: () => {},
      },
    )
  }
}

function mostInOneSecond(timesMs: readonly number[]): number {
  return Math.max(...timesMs.map((start) => timesMs.filter((time) => time >= start && time < start + 1000).length))
}
