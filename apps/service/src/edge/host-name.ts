const hostPattern = /^(?:([a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?)\.?|\[[0-9a-f:.]+\])(?::\d{0,5})?$/

/**
 * The name in a Host header or `:authority`: lower-case, without port and trailing dot; an address literal as written.
 * Undefined when it is not a host (RFC 9110 7.2), such as one with user information, spaces or a path.
 */
export function hostNameOf(authority: string): string | undefined {
  const lowerCase = authority.toLowerCase()
  const match = hostPattern.exec(lowerCase)
  if (match === null || lowerCase.includes('..')) return undefined
  return match[1] ?? lowerCase.slice(0, lowerCase.indexOf(']') + 1)
}
