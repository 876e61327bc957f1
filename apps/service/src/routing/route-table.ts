import { mayBeReadDifferently, readingsOf } from './path-readings.ts'

/** What a route matches on. */
export interface RouteMatch {
  readonly matchType: 'exact_path' | 'path_prefix'
  readonly match: string
}

/** `ambiguous`: programs disagree about what the path means, and the readings belong to different routes. */
export type RouteResult<R> =
  | { readonly kind: 'route'; readonly route: R }
  | { readonly kind: 'none' }
  | { readonly kind: 'ambiguous' }

const none = { kind: 'none' } as const
const ambiguous = { kind: 'ambiguous' } as const

/** The routes of one edge. The longest match wins; an exact match wins over a prefix of the same length. */
export class RouteTable<R extends RouteMatch> {
  readonly #entries: readonly Entry<R>[]
  readonly #asWritten: Matches<R>
  #asRead: Matches<R> | undefined

  constructor(routes: readonly R[]) {
    this.#entries = routes.map((route) => ({
      matchType: route.matchType,
      match: route.match,
      result: { kind: 'route', route },
    }))
    this.#asWritten = new Matches(this.#entries)
  }

  /** `path` is what stands before the `?` of a request target, as received. */
  find(path: string): RouteResult<R> {
    const found = this.#asWritten.find(path)
    if (!mayBeReadDifferently(path) || this.#asWritten.isExact(path)) return found
    const readings = readingsOf(path)
    if (readings === undefined) return ambiguous
    this.#asRead ??= new Matches([...this.#entries, ...this.#entries.flatMap(withReadings)])
    for (const reading of readings) if (this.#asRead.find(reading) !== found) return ambiguous
    return found
  }
}

/** Also what the route's own path is for programs that decode it. */
function withReadings<R>(entry: Entry<R>): Entry<R>[] {
  return Array.from(readingsOf(entry.match) ?? [entry.match], (match) => ({ ...entry, match }))
}

interface Entry<R> extends RouteMatch {
  readonly result: RouteResult<R>
}

/** Finds by path; of equal entries the first wins. */
class Matches<R> {
  readonly #exact = new Map<string, RouteResult<R>>()
  readonly #prefixes: readonly { readonly match: string; readonly result: RouteResult<R> }[]

  constructor(entries: readonly Entry<R>[]) {
    for (const { matchType, match, result } of entries)
      if (matchType === 'exact_path' && !this.#exact.has(match)) this.#exact.set(match, result)
    const prefixes = entries.filter(({ matchType }) => matchType === 'path_prefix')
    this.#prefixes = prefixes.sort((a, b) => b.match.length - a.match.length)
  }

  isExact(path: string): boolean {
    return this.#exact.has(path)
  }

  find(path: string): RouteResult<R> {
    return this.#exact.get(path) ?? this.#prefixes.find(({ match }) => path.startsWith(match))?.result ?? none
  }
}
