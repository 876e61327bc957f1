import { randomInt } from 'node:crypto'
import { isIPv6 } from 'node:net'

export interface ResponseBudgetOptions {
  /** Full answers per second to one network. */
  readonly perSecond: number
  readonly nowMs: () => number
}

export type Verdict = 'udp' | 'tcp-hint' | 'drop'

const bucketCount = 65_536
/** Of the queries above the rate every second one is told to come by TCP, which a spoofed source cannot follow. */
const hintEvery = 2

/**
 * How much is sent to one network (an IPv4 /24, an IPv6 /56) over UDP, so that forged sources cannot turn the server
 * into an amplifier. A table of fixed size: networks that share a bucket share its budget, nothing grows.
 */
export class ResponseBudget {
  readonly #perSecond: number
  readonly #nowMs: () => number
  readonly #tokens: Float64Array
  readonly #filledAtMs = new Float64Array(bucketCount)
  /** Unknown to senders, so that nobody can aim at another network's bucket. */
  readonly #seed = randomInt(2 ** 32)
  #excess = 0

  constructor(options: ResponseBudgetOptions) {
    this.#perSecond = options.perSecond
    this.#nowMs = options.nowMs
    this.#tokens = new Float64Array(bucketCount).fill(options.perSecond)
  }

  /** Takes one answer from the budget of the sender's network. */
  take(address: string): Verdict {
    const bucket = this.#bucketOf(networkOf(address))
    const now = this.#nowMs()
    const refill = (Math.max(0, now - (this.#filledAtMs[bucket] ?? 0)) / 1_000) * this.#perSecond
    const tokens = Math.min(this.#perSecond, (this.#tokens[bucket] ?? 0) + refill)
    this.#filledAtMs[bucket] = now
    this.#tokens[bucket] = Math.max(0, tokens - 1)
    if (tokens >= 1) return 'udp'
    this.#excess += 1
    return this.#excess % hintEvery === 0 ? 'tcp-hint' : 'drop'
  }

  /** FNV-1a from a secret start. */
  #bucketOf(network: string): number {
    let hash = this.#seed
    for (let index = 0; index < network.length; index++) hash = Math.imul(hash ^ network.charCodeAt(index), 0x01000193)
    return (hash ^ (hash >>> 16)) & (bucketCount - 1)
  }
}

/** The /24 or /56 of an address, as text that is only compared. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const plain = mapped ?? address
  if (!isIPv6(plain)) return plain.slice(0, plain.lastIndexOf('.'))
  const [head = ''] = plain.split('::')
  const [a = '0', b = '0', c = '0', d = '0'] = head.split(':')
  return `${a}:${b}:${c}:${Number.parseInt(d || '0', 16) >> 8}`
}
