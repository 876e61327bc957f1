export interface Cookie {
  readonly name: string
  readonly value: string
  /** Attributes of a Set-Cookie line by lower-case name; empty for cookies of a request. */
  readonly attributes: ReadonlyMap<string, string>
}

const none: ReadonlyMap<string, string> = new Map()

/** Cookies of the Cookie header lines, in their order (RFC 6265, section 4.2). */
export function requestCookies(lines: readonly string[]): Cookie[] {
  return lines
    .flatMap((line) => line.split(';'))
    .flatMap((pair) => {
      const [name, value] = splitPair(pair)
      return name === '' ? [] : [{ name, value, attributes: none }]
    })
}

/** One cookie for each Set-Cookie line that has a name (RFC 6265, section 4.1). */
export function responseCookies(lines: readonly string[]): Cookie[] {
  return lines.flatMap((line) => {
    const [first = '', ...rest] = line.split(';')
    const [name, value] = splitPair(first)
    if (name === '') return []
    const attributes = rest.map(splitPair).map(([key, text]) => [key.toLowerCase(), text] as const)
    return [{ name, value, attributes: new Map(attributes) }]
  })
}

export function byCookieName(cookies: readonly Cookie[]): Map<string, Cookie[]> {
  const byName = new Map<string, Cookie[]>()
  for (const cookie of cookies) {
    const sameName = byName.get(cookie.name)
    if (sameName) sameName.push(cookie)
    else byName.set(cookie.name, [cookie])
  }
  return byName
}

function splitPair(pair: string): [name: string, value: string] {
  const equals = pair.indexOf('=')
  if (equals < 0) return [pair.trim(), '']
  return [
    pair.slice(0, equals).trim(),
    pair
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1'),
  ]
}
