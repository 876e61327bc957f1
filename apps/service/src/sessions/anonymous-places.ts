import type { SessionsLimits } from './limits.ts'

type Bounds = Pick<SessionsLimits, 'unauthenticatedMax' | 'unauthenticatedPerAddressMax'>

/** Counts connections that have not proved anything yet: so many in all, and so many from one address. */
export class AnonymousPlaces {
  readonly #bounds: Bounds
  readonly #byAddress = new Map<string, number>()
  #taken = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Takes a place. Returns how to give it back, once; null when there is none. */
  take(address: string): (() => void) | null {
    const ofAddress = this.#byAddress.get(address) ?? 0
    if (this.#taken >= this.#bounds.unauthenticatedMax) return null
    if (ofAddress >= this.#bounds.unauthenticatedPerAddressMax) return null
    this.#taken += 1
    this.#byAddress.set(address, ofAddress + 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#giveBack(address)
      isHeld = false
    }
  }

  #giveBack(address: string): void {
    this.#taken -= 1
    const left = (this.#byAddress.get(address) ?? 1) - 1
    if (left > 0) this.#byAddress.set(address, left)
    else this.#byAddress.delete(address)
  }
}
