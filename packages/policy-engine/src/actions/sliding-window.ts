/** Counts of one key in the slots of the window; slot n of time stands at index n modulo the number of slots. */
interface Ring {
  readonly counts: Uint32Array
  newestSlot: number
  total: number
}

const slots = 10
/** Keys that one limiter remembers. The one that was used longest ago makes room. */
const keysMax = 100_000

/** A limit on events per key in a sliding window, which moves in tenths of its length. */
export class SlidingWindow {
  readonly #capacity: number
  readonly #slotMs: number
  readonly #rings = new Map<string, Ring>()
  #lastKey: string | undefined
  #lastRing: Ring | undefined

  constructor(capacity: number, windowMs: number) {
    this.#capacity = capacity
    this.#slotMs = windowMs / slots
  }

  get size(): number {
    return this.#rings.size
  }

  /** Counts an event and gives 0, or does not count it and gives the time until there is room again, in ms. */
  take(key: string, nowMs: number): number {
    const slot = Math.floor(nowMs / this.#slotMs)
    const ring = this.#touch(key, slot)
    this.#advance(ring, slot)
    if (ring.total >= this.#capacity) return this.#timeToRoom(ring, nowMs)
    const index = slot % slots
    ring.counts[index] = (ring.counts[index] ?? 0) + 1
    ring.total++
    return 0
  }

  /** The key's ring, now at the end of the map: it stays in the order of last use. */
  #touch(key: string, slot: number): Ring {
    if (this.#lastRing !== undefined && key === this.#lastKey) return this.#lastRing
    const known = this.#rings.get(key)
    const ring = known ?? { counts: new Uint32Array(slots), newestSlot: slot, total: 0 }
    if (known) this.#rings.delete(key)
    this.#rings.set(key, ring)
    if (this.#rings.size > keysMax) this.#rings.delete(this.#rings.keys().next().value ?? key)
    this.#lastKey = key
    this.#lastRing = ring
    return ring
  }

  #advance(ring: Ring, slot: number): void {
    const steps = Math.min(slot - ring.newestSlot, slots)
    for (let step = 1; step <= steps; step++) {
      const index = (ring.newestSlot + step) % slots
      ring.total -= ring.counts[index] ?? 0
      ring.counts[index] = 0
    }
    if (steps > 0) ring.newestSlot = slot
  }

  /** The oldest counted slot leaves the window one window length after it began. */
  #timeToRoom(ring: Ring, nowMs: number): number {
    for (let age = slots - 1; age >= 0; age--) {
      const slot = ring.newestSlot - age
      if (slot >= 0 && (ring.counts[slot % slots] ?? 0) > 0) return (slot + slots) * this.#slotMs - nowMs
    }
    return this.#slotMs
  }
}
