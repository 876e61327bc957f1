import { filterHeaders, type HeaderList, listMembers } from './header-list.ts'

/** Headers that concern one connection only (RFC 9110 7.6.1), and those that travel apart, as framing. */
export const hopByHopNames: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** What a `Connection` header cannot remove: names that routing, framing or the upstream's trust depend on. */
const neverNamedAway: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'date',
])

/** Members of `Connection` that are options and not names of headers. */
const connectionOptions: ReadonlySet<string> = new Set(['', 'close', 'keep-alive', 'upgrade', 'te'])

/** The headers that a `Connection` value names away, beside those named before; null while there are none. */
export function namedAway(value: string, earlier: readonly string[] | null): readonly string[] | null {
  if (connectionOptions.has(value)) return earlier
  const names = listMembers(value).filter((token) => !connectionOptions.has(token) && !neverNamedAway.has(token))
  return names.length === 0 ? earlier : [...(earlier ?? []), ...names]
}

/** Drops the headers that `Connection` names. */
export function withoutNamed(headers: string[], names: readonly string[] | null): string[] {
  return names === null ? headers : filterHeaders(headers, (name) => !names.includes(name))
}

/** Trailers that may be passed on: never framing, routing or what the edge itself vouches for (RFC 9110 6.5.1). */
export function forwardableTrailers(trailers: HeaderList): HeaderList {
  if (trailers.length === 0) return trailers
  return filterHeaders(trailers, (spelled) => {
    const name = spelled.replaceAll('_', '-')
    return !hopByHopNames.has(name) && !notInTrailers.has(name) && !isForwardedName(name)
  })
}

const notInTrailers: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'max-forwards',
  'range',
  'set-cookie',
  'trailer',
  'x-real-ip',
])

/** Names that upstreams take as the word of a trusted proxy, in any spelling that a CGI-like upstream folds together. */
export function isForwardedName(lowerCaseName: string): boolean {
  if (!lowerCaseName.startsWith('x')) return lowerCaseName === 'forwarded'
  const name = lowerCaseName.replaceAll('_', '-')
  return name.startsWith('x-forwarded') || name === 'x-real-ip'
}
