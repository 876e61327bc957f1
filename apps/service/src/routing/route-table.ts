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
  readonly #exact = new Map<string, RouteResult<R>>()
  readonly #prefixes: readonly { readonly match: string; readonly result: RouteResult<R> }[]

  constructor(routes: readonly R[]) {
    const prefixes: { match: string; result: RouteResult<R> }[] = []
    for (const route of routes) {
      const result = { kind: 'route', route } as const
      if (route.matchType === 'exact_path') this.#exact.set(route.match, result)
      else prefixes.push({ match: route.match, result })
    }
    this.#prefixes = prefixes.sort((a, b) => b.match.length - a.match.length)
  }

  /** `path` is what stands before the `?` of a request target, as received. */
  find(path: string): RouteResult<R> {
    const literal = this.#match(path)
    if (!mayBeReadDifferently(path)) return literal
    return this.#match(normalised(path)) === literal ? literal : ambiguous
  }

  #match(path: string): RouteResult<R> {
    return this.#exact.get(path) ?? this.#prefixes.find(({ match }) => path.startsWith(match))?.result ?? none
  }
}

/** Percent signs, backslashes, empty segments and dot segments are where servers differ. */
function mayBeReadDifferently(path: string): boolean {
  return /[%\\]|\/\/|\/\.{1,2}(?:\/|$)/.test(path)
}

/** The path as a server reads it that decodes first and then resolves: RFC 3986 6.2.2 and beyond. */
function normalised(path: string): string {
  const decoded = path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const resolved: string[] = []
  const segments = decoded
    .replaceAll('\\', '/')
    .replaceAll(/\/{2,}/g, '/')
    .split('/')
    .slice(1)
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    if (segment === '..') resolved.pop()
    if (segment !== '.' && segment !== '..') resolved.push(segment)
    else if (isLast) resolved.push('')
  }
  return `/${resolved.join('/')}`
}
