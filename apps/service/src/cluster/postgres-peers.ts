import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { LedPart } from './led-part.ts'
import { MessageQueue } from './message-queue.ts'
import type { Peers } from './peers.ts'

export interface PostgresPeersOptions {
  readonly url: string
  readonly onProblem: (error: unknown) => void
}

const channel = 'tunnel_service'
/** Of the advisory lock that the leading process holds, in the database of the service. */
const leaderLock = 7_482_911
const connectWithinMs = 5_000
const queryWithinMs = 5_000
const beatEveryMs = 1_000
const settleMs = 2_000
/** The server lets go of the lock of a machine that vanished within half a minute. */
const serverKeepAlive = 'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3'

/** Processes that share a PostgreSQL: they talk through its notifications, and a lock of its decides who leads. */
export class PostgresPeers implements Peers {
  readonly #options: PostgresPeersOptions
  readonly #self = randomUUID()
  readonly #queue: MessageQueue
  readonly #led: LedPart
  readonly #firstTurn = Promise.withResolvers<void>()
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>
  #client: Client | undefined
  /** Others may have missed something of ours. */
  #hasUntold = false
  #isLeader = false

  constructor(options: PostgresPeersOptions) {
    this.#options = options
    this.#queue = new MessageQueue(options.onProblem)
    this.#led = new LedPart(options.onProblem)
    this.#loop = this.#run()
  }

  tell(topic: string, body: unknown): void {
    const message = JSON.stringify({ from: this.#self, topic, body })
    if (this.#client === undefined) this.#hasUntold = true
    else
      this.#client.query('select pg_notify($1, $2)', [channel, message]).catch((error: unknown) => {
        this.#hasUntold = true
        this.#options.onProblem(error)
      })
  }

  listen(topic: string, onMessage: (body: unknown) => void | Promise<void>): void {
    this.#queue.listen(topic, onMessage)
  }

  onGap(onGap: () => void | Promise<void>): void {
    this.#queue.onGap(onGap)
  }

  async lead(start: () => Promise<AsyncDisposable>): Promise<void> {
    await this.#firstTurn.promise
    await this.#led.setStart(start, this.#isLeader)
  }

  settle(): Promise<void> {
    return delay(settleMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#led.stop()
    await this.#loop
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        await this.#stayConnected(isFirst)
      } catch (error) {
        if (!signal.aborted) this.#options.onProblem(error)
      }
      this.#firstTurn.resolve()
      await delay(beatEveryMs, undefined, { signal }).catch(() => undefined)
    }
  }

  /** One connection, until it breaks or the service stops. */
  async #stayConnected(isFirst: boolean): Promise<void> {
    const client = new Client({
      connectionString: this.#options.url,
      connectionTimeoutMillis: connectWithinMs,
      query_timeout: queryWithinMs,
      keepAlive: true,
    })
    // A break fails the next beat.
    client.on('error', () => undefined)
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''))
    try {
      await client.connect()
      await client.query(`${serverKeepAlive}; listen ${channel}`)
      this.#client = client
      if (!isFirst) this.#queue.noteGap()
      if (this.#hasUntold) this.#tellGap()
      for (; !this.#stopping.signal.aborted; await this.#pause()) await this.#beat(client)
    } finally {
      this.#client = undefined
      this.#isLeader = false
      await this.#led.stop()
      await client.end().catch(() => undefined)
    }
  }

  /** Proves that the connection works; and takes the lead when nobody has it. */
  async #beat(client: Client): Promise<void> {
    if (this.#isLeader) return void (await client.query('select 1'))
    const { rows } = await client.query<{ is_mine: boolean }>('select pg_try_advisory_lock($1) as is_mine', [
      leaderLock,
    ])
    this.#isLeader = rows[0]?.is_mine === true
    this.#firstTurn.resolve()
    if (this.#isLeader) await this.#led.start()
  }

  #pause(): Promise<void> {
    return delay(beatEveryMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
  }

  #tellGap(): void {
    this.#hasUntold = false
    this.tell(MessageQueue.gapTopic, null)
  }

  #receive(payload: string): void {
    const { from, topic, body } = JSON.parse(payload) as { from: string; topic: string; body: unknown }
    if (from !== this.#self) this.#queue.add(topic, body)
  }
}
