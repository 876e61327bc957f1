import { type SessionLimits, wire } from '../limits.ts'
import type { WindowPolicy } from '../stream/receive-window.ts'
import type { RoundTrip } from './round-trip.ts'

type BudgetLimits = Pick<SessionLimits, 'streamWindowBytes' | 'streamWindowMaxBytes' | 'sessionWindowMaxBytes'>

/** Bytes come in bursts, a round trip apart, and a burst is somewhat less than a window: a whole one has come with the second. */
const HORIZON_ROUND_TRIPS = 3
/** Below this the delays of the event loop are all that is measured. */
const HORIZON_MIN_MS = 4
/** Streams with smaller windows than others may be this much slower and still grow: they are slow because of that. */
const CATCH_UP_FACTOR = 8

/** Keeps the sum of what the windows of a session have grown within its bound, and the windows about equal. */
export class WindowBudget implements WindowPolicy {
  readonly startBytes: number
  readonly maxBytes: number
  readonly #roundTrip: RoundTrip
  readonly #totalBytes: number
  #freeBytes: number
  #largestBytes = 0

  constructor(limits: BudgetLimits, roundTrip: RoundTrip) {
    this.startBytes = Math.max(limits.streamWindowBytes, wire.initialCreditBytes)
    this.maxBytes = Math.max(limits.streamWindowMaxBytes, this.startBytes)
    this.#totalBytes = limits.sessionWindowMaxBytes
    this.#freeBytes = this.#totalBytes
    this.#roundTrip = roundTrip
  }

  enlarge(fromBytes: number, toBytes: number): boolean {
    if (toBytes - fromBytes > this.#freeBytes) return false
    this.#freeBytes -= toBytes - fromBytes
    this.#largestBytes = Math.max(this.#largestBytes, toBytes)
    return true
  }

  release(bytes: number): void {
    this.#freeBytes += bytes
    if (this.#freeBytes === this.#totalBytes) this.#largestBytes = 0
  }

  nowMs(): number {
    return this.#roundTrip.nowMs()
  }

  /** Longer for windows that have stayed behind. */
  growthHorizonMs(sizeBytes: number): number {
    this.#roundTrip.refresh()
    const horizonMs = Math.max(HORIZON_ROUND_TRIPS * (this.#roundTrip.ms ?? 0), HORIZON_MIN_MS)
    return sizeBytes < this.#largestBytes ? horizonMs * CATCH_UP_FACTOR : horizonMs
  }
}
