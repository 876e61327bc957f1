import type { SessionLimits } from '../limits.ts'
import type { WindowPolicy } from '../stream/receive-window.ts'
import { wire } from '../limits.ts'
import type { RoundTrip } from './round-trip.ts'

type BudgetLimits = Pick<SessionLimits, 'streamWindowBytes' | 'streamWindowMaxBytes' | 'sessionWindowMaxBytes'>

/** Keeps the sum of what the windows of a session have grown within its bound. */
export class WindowBudget implements WindowPolicy {
  readonly startBytes: number
  readonly maxBytes: number
  readonly #roundTrip: RoundTrip
  #freeBytes: number

  constructor(limits: BudgetLimits, roundTrip: RoundTrip) {
    this.startBytes = Math.max(limits.streamWindowBytes, wire.initialCreditBytes)
    this.maxBytes = Math.max(limits.streamWindowMaxBytes, this.startBytes)
    this.#freeBytes = limits.sessionWindowMaxBytes
    this.#roundTrip = roundTrip
  }

  reserve(bytes: number): boolean {
    if (bytes > this.#freeBytes) return false
    this.#freeBytes -= bytes
    return true
  }

  release(bytes: number): void {
    this.#freeBytes += bytes
  }

  nowMs(): number {
    return this.#roundTrip.nowMs()
  }

  growthHorizonMs(): number {
    return this.#roundTrip.growthHorizonMs()
  }
}
