import { headerNameMaxBytes, headerValueMaxBytes } from '@tunnel/models'

export interface HeaderProblem {
  readonly kind: 'name' | 'value' | 'twice'
  readonly name: string
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** The first field that could not be sent as it is (RFC 9110, section 5), or null. */
export function headerProblem(headers: Readonly<Record<string, string>>): HeaderProblem | null {
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderName(name)) return { kind: 'name', name: name.slice(0, 80) }
    if (!isHeaderValue(value)) return { kind: 'value', name }
    if (seen.has(name.toLowerCase())) return { kind: 'twice', name }
    seen.add(name.toLowerCase())
  }
  return null
}

export function isHeaderName(name: string): boolean {
  return token.test(name) && name.length <= headerNameMaxBytes
}

/** Names as they are shown: lower-case. */
export function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function isHeaderValue(value: string): boolean {
  // A header is sent with one byte per character: others would lose their upper half on the way.
  const isSendable = /^[\t\x20-\x7e\xa0-\xff]*$/.test(value)
  return Buffer.byteLength(value) <= headerValueMaxBytes && isSendable && value === value.trim()
}
