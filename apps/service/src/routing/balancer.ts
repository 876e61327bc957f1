const failuresToEject = 3
const ejectedForMs = 10_000
const ejectedForMaxMs = 120_000

/** How one use of a member went. */
export type Outcome = 'success' | 'failure'

interface Load {
  outstanding: number
  failuresInRow: number
  ejections: number
  ejectedUntil: number
}

/**
 * Chooses among equal members: the one with the fewest requests under way. A member that fails several times in a row is left out
 * for a while, longer each time; its next success clears it.
 */
export class Balancer<Member extends object> {
  readonly #loads = new WeakMap<Member, Load>()
  readonly #now: () => number
  /** Where the search begins moves on, so that equally loaded members take turns. */
  #turn = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Undefined when every member was tried. Ejected members are used when no other is left. */
  choose(members: readonly Member[], tried: readonly Member[]): Member | undefined {
    this.#turn += 1
    return this.#leastLoaded(members, tried, this.#now()) ?? this.#leastLoaded(members, tried, Infinity)
  }

  /** Counts a request as under way. Call the result once when it is over. */
  begin(member: Member): (outcome: Outcome) => void {
    const load = this.#loadOf(member)
    load.outstanding += 1
    return (outcome) => {
      load.outstanding -= 1
      if (outcome === 'success') this.#clear(load)
      else this.#noteFailure(load)
    }
  }

  #leastLoaded(members: readonly Member[], tried: readonly Member[], now: number): Member | undefined {
    let best: Member | undefined
    let bestOutstanding = Infinity
    for (let step = 0; step < members.length; step += 1) {
      const member = members[(this.#turn + step) % members.length]
      if (member === undefined || tried.includes(member)) continue
      const load = this.#loads.get(member)
      if (load !== undefined && load.ejectedUntil > now) continue
      if ((load?.outstanding ?? 0) >= bestOutstanding) continue
      best = member
      bestOutstanding = load?.outstanding ?? 0
    }
    return best
  }

  #clear(load: Load): void {
    load.failuresInRow = 0
    load.ejections = 0
    load.ejectedUntil = 0
  }

  #noteFailure(load: Load): void {
    load.failuresInRow += 1
    if (load.failuresInRow < failuresToEject) return
    load.failuresInRow = 0
    load.ejectedUntil = this.#now() + Math.min(ejectedForMs * 2 ** load.ejections, ejectedForMaxMs)
    load.ejections += 1
  }

  #loadOf(member: Member): Load {
    let load = this.#loads.get(member)
    if (load === undefined) {
      load = { outstanding: 0, failuresInRow: 0, ejections: 0, ejectedUntil: 0 }
      this.#loads.set(member, load)
    }
    return load
  }
}
