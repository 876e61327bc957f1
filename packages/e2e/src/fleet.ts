import { Trust } from '@tunnel/device-agent/src/network/trust.ts'
import { SessionConnector } from '@tunnel/device-agent/src/session/connector.ts'
import { dial } from '@tunnel/device-agent/src/session/dial.ts'
import { plainHello } from './session-client.ts'

export interface FleetOptions {
  readonly connectUrl: string
  /** Root certificate of the service; null where it is reached in plain. */
  readonly caFile: string | null
  readonly authtoken: string
  readonly count: number
}

/** The session halves of many agents in this process, with their real way of coming back. */
export class Fleet implements AsyncDisposable {
  /** When each session came up, in monotonic milliseconds. */
  readonly onlineAtMs: number[] = []
  /** Why tries failed, and how often. */
  readonly problems = new Map<string, number>()
  readonly #connectors: SessionConnector[]
  #onlineCount = 0

  constructor({ connectUrl, caFile, authtoken, count }: FleetOptions) {
    const target = { connectUrl, proxy: null, trust: new Trust(caFile) }
    this.#connectors = Array.from({ length: count }, () => this.#connector(target, authtoken))
  }

  get isAllOnline(): boolean {
    return this.#onlineCount === this.#connectors.length
  }

  /** Starts them `atOnce` at a time, as devices would not all be switched on in one moment. */
  async start(atOnce = this.#connectors.length): Promise<void> {
    for (let first = 0; first < this.#connectors.length; first += atOnce) {
      for (const connector of this.#connectors.slice(first, first + atOnce)) connector.start()
      await this.#untilOnline(Math.min(first + atOnce, this.#connectors.length))
    }
  }

  /** Settles when every agent has a session. */
  untilAllOnline(limitMs: number): Promise<void> {
    return this.#untilOnline(this.#connectors.length, limitMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#connectors.map((connector) => connector.stop(0)))
  }

  async #untilOnline(count: number, limitMs = 60_000): Promise<void> {
    const deadline = performance.now() + limitMs
    while (this.#onlineCount < count) {
      if (performance.now() > deadline) throw new Error(`${this.#onlineCount} of ${count} agents are online`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  #connector(target: Parameters<typeof dial>[0], authtoken: string): SessionConnector {
    return new SessionConnector(
      { dial: (signal) => dial(target, signal), buildHello: async () => plainHello(authtoken), random: Math.random },
      {
        onOnline: () => {
          this.#onlineCount++
          this.onlineAtMs.push(performance.now())
        },
        onOffline: () => this.#onlineCount--,
        onMessage: () => {},
        onStream: (stream) => stream.reset('refused'),
        onRefused: async () => {},
        onRetryPlanned: ({ reason }) => this.problems.set(reason, (this.problems.get(reason) ?? 0) + 1),
      },
    )
  }
}
