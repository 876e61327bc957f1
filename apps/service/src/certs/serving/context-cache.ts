import { createSecureContext, type SecureContext } from 'node:tls'
import { setTimeout as delay } from 'node:timers/promises'

export interface KeyAndChain {
  readonly chainPem: string
  readonly privateKeyPem: string
}

export interface ContextCacheOptions {
  /** Undefined: there is no such certificate any more. */
  readonly load: (certificateId: string) => Promise<KeyAndChain | undefined>
  /** Contexts in memory; about 30 KB each, unseen by the garbage collector. */
  readonly contextsMax: number
  /** New contexts per second: names that a flood asks for must not turn into memory faster than it is freed. */
  readonly creationsPerSecond: number
  readonly nowMs: () => number
  /** Told of every context that is dropped, whose memory the garbage collector does not see. */
  readonly onDropped: () => void
}

const waitingMax = 1_000

/** TLS contexts by certificate, made when first asked for; the least recently used go first. */
export class ContextCache {
  readonly #options: ContextCacheOptions
  readonly #contexts = new Map<string, Promise<SecureContext | undefined>>()
  #nextCreationMs = 0
  #waiting = 0

  constructor(options: ContextCacheOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#contexts.size
  }

  /** Undefined when the certificate is gone. Rejects when too many are asked for at once. */
  get(certificateId: string): Promise<SecureContext | undefined> {
    const known = this.#contexts.get(certificateId)
    const context = known ?? this.#create(certificateId)
    this.#contexts.delete(certificateId)
    this.#contexts.set(certificateId, context)
    if (this.#contexts.size > this.#options.contextsMax) this.#dropOldest()
    return context
  }

  /** The certificate itself, read at the same rate. Undefined when it is gone. */
  async load(certificateId: string): Promise<KeyAndChain | undefined> {
    await this.#turn()
    return this.#options.load(certificateId)
  }

  /** For a certificate that is no longer served. */
  forget(certificateId: string): void {
    this.#contexts.delete(certificateId)
  }

  #dropOldest(): void {
    const [oldest] = this.#contexts.keys()
    if (oldest !== undefined) this.#contexts.delete(oldest)
    this.#options.onDropped()
  }

  async #create(certificateId: string): Promise<SecureContext | undefined> {
    try {
      const loaded = await this.load(certificateId)
      if (loaded !== undefined)
        return createSecureContext({ cert: loaded.chainPem, key: loaded.privateKeyPem, minVersion: 'TLSv1.2' })
    } catch (error) {
      this.#contexts.delete(certificateId)
      throw error
    }
    this.#contexts.delete(certificateId)
    return undefined
  }

  /** Waits until the rate allows one more. A second's worth may come at once. */
  async #turn(): Promise<void> {
    const { creationsPerSecond, nowMs } = this.#options
    if (this.#waiting >= waitingMax) throw new Error('too many certificates are asked for at once')
    const burstMs = 1_000
    this.#nextCreationMs = Math.max(this.#nextCreationMs, nowMs() - burstMs) + 1_000 / creationsPerSecond
    const waitMs = this.#nextCreationMs - nowMs()
    if (waitMs <= 0) return
    this.#waiting += 1
    await delay(waitMs)
    this.#waiting -= 1
  }
}
