import { wire } from '../limits.ts'
import { ProtocolError } from '../protocol-error.ts'

/** What the windows of one session share. */
export interface WindowPolicy {
  /** Window that a stream gets without proof of speed, and the largest one. */
  readonly startBytes: number
  readonly maxBytes: number
  /** Takes the difference out of the session's budget; false when it has not that much left. */
  enlarge(fromBytes: number, toBytes: number): boolean
  /** Gives back what a window has grown. */
  release(bytes: number): void
  nowMs(): number
  /** A window of this size that is read in this time is too small for the path. */
  growthHorizonMs(sizeBytes: number): number
}

/** Up to one such part of a window is read and not given back: it is missing on a long path. */
const CREDITS_PER_WINDOW = 4

/** The credit of one incoming direction: how much the peer may send, and when it gets more. */
export class ReceiveWindow {
  readonly #policy: WindowPolicy
  #sizeBytes: number = wire.initialCreditBytes
  /** What the peer may still send. */
  #openBytes: number = wire.initialCreditBytes
  #readBytes = 0
  #roundBytes = 0
  #roundStartMs: number

  constructor(policy: WindowPolicy) {
    this.#policy = policy
    this.#roundStartMs = policy.nowMs()
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** Bytes have arrived. Throws when the peer had no credit for them. */
  arrived(bytes: number): void {
    if (bytes > this.#openBytes) throw new ProtocolError('more bytes than credit', 'flow_control_error')
    this.#openBytes -= bytes
  }

  /** The reader has taken bytes. Returns the credit to give to the peer now, often 0. */
  read(bytes: number): number {
    this.#readBytes += bytes
    if (this.#readBytes * CREDITS_PER_WINDOW < this.#sizeBytes) return 0
    const credit = this.#readBytes + this.#raiseToStart() + this.#growth(this.#readBytes)
    this.#readBytes = 0
    this.#openBytes += credit
    return credit
  }

  /** Opens the starting window in advance. Returns the credit to give. */
  openToStart(): number {
    const credit = this.#raiseToStart()
    this.#openBytes += credit
    return credit
  }

  release(): void {
    this.#policy.release(this.#sizeBytes - wire.initialCreditBytes)
    this.#sizeBytes = wire.initialCreditBytes
  }

  #raiseToStart(): number {
    return this.#sizeBytes < this.#policy.startBytes ? this.#enlargeTo(this.#policy.startBytes) : 0
  }

  /** Doubles the window when a whole one was read faster than the path can refill it. */
  #growth(bytes: number): number {
    this.#roundBytes += bytes
    if (this.#roundBytes < this.#sizeBytes) return 0
    const nowMs = this.#policy.nowMs()
    const isFast = nowMs - this.#roundStartMs <= this.#policy.growthHorizonMs(this.#sizeBytes)
    this.#roundBytes = 0
    this.#roundStartMs = nowMs
    return isFast ? this.#enlargeTo(Math.min(2 * this.#sizeBytes, this.#policy.maxBytes)) : 0
  }

  #enlargeTo(bytes: number): number {
    const extra = bytes - this.#sizeBytes
    if (extra <= 0 || !this.#policy.enlarge(this.#sizeBytes, bytes)) return 0
    this.#sizeBytes = bytes
    return extra
  }
}
