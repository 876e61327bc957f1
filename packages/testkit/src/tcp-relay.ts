import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { DelayLine } from './delay-line.ts'

export interface RelayTarget {
  readonly host?: string
  readonly port: number
}

export interface RelayOptions {
  /** Added to each direction, without a limit on the rate. */
  readonly delayMs?: number
  /** Every piece is cut to this size and written alone. */
  readonly segmentMaxBytes?: number
}

/** A TCP relay on loopback that can behave like a bad link. */
export interface TcpRelay extends AsyncDisposable {
  readonly port: number
  /** Connections that are open towards the target. */
  readonly connectionCount: number
  /** Bytes passed on so far, both directions. */
  readonly passedBytes: number
  /** Bytes of connections old and new vanish from now on, yet nothing is closed: a half-open link. */
  swallow(): void
  /** Ends `swallow` for connections that come from now on. */
  heal(): void
  /** Resets every open connection. */
  cut(): void
  /** Resets every open connection after so many more bytes, both directions counted. */
  cutAfter(bytes: number): void
}

/** Starts a relay on a free port. */
export async function startTcpRelay(target: RelayTarget, options: RelayOptions = {}): Promise<TcpRelay> {
  const relay = new Relay(target, options)
  await relay.listen()
  return relay
}

/** Two connected sockets and whether their bytes still pass. */
interface Link {
  readonly ends: readonly [Socket, Socket]
  isSwallowing: boolean
}

class Relay implements TcpRelay {
  readonly #server = createServer({ allowHalfOpen: true }, (visitor) => this.#accept(visitor))
  readonly #target: RelayTarget
  readonly #options: RelayOptions
  readonly #links = new Set<Link>()
  #isSwallowing = false
  #cutAt = Infinity
  #passedBytes = 0

  constructor(target: RelayTarget, options: RelayOptions) {
    this.#target = target
    this.#options = options
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get connectionCount(): number {
    return this.#links.size
  }

  get passedBytes(): number {
    return this.#passedBytes
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  swallow(): void {
    this.#isSwallowing = true
    for (const link of this.#links) link.isSwallowing = true
  }

  heal(): void {
    this.#isSwallowing = false
  }

  cut(): void {
    for (const { ends } of this.#links) for (const end of ends) end.resetAndDestroy()
  }

  cutAfter(bytes: number): void {
    this.#cutAt = this.#passedBytes + bytes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(visitor: Socket): void {
    const onward = connect({ host: this.#target.host ?? '127.0.0.1', port: this.#target.port, allowHalfOpen: true })
    const link: Link = { ends: [visitor, onward], isSwallowing: this.#isSwallowing }
    this.#links.add(link)
    for (const end of link.ends) {
      end.setNoDelay(true)
      end.on('error', () => this.#reset(link))
      end.on('close', () => this.#forget(link))
    }
    this.#carry(visitor, onward, link)
    this.#carry(onward, visitor, link)
  }

  /** A failure of one end is passed on, except over a link that swallows everything. */
  #reset(link: Link): void {
    if (link.isSwallowing) return
    for (const end of link.ends) end.resetAndDestroy()
  }

  #forget(link: Link): void {
    if (link.ends.every((end) => end.destroyed)) this.#links.delete(link)
  }

  #carry(from: Socket, to: Socket, link: Link): void {
    const line = new DelayLine(to, this.#options)
    line.onPressure = (isFull) => (isFull ? from.pause() : from.resume())
    from.on('data', (chunk: Buffer) => {
      if (!link.isSwallowing) line.write(this.#withinBudget(chunk))
    })
    from.on('end', () => {
      if (!link.isSwallowing) line.end()
    })
  }

  #withinBudget(chunk: Buffer): Buffer {
    const left = this.#cutAt - this.#passedBytes
    const allowed = Math.min(chunk.length, left)
    this.#passedBytes += allowed
    if (left > 0 && allowed === left) setImmediate(() => this.#cutNow())
    return chunk.subarray(0, allowed)
  }

  #cutNow(): void {
    this.#cutAt = Infinity
    this.cut()
  }
}
