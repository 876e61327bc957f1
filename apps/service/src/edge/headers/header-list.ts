/** Headers in order and as spelled: name, value, name, value… Values hold one byte per character (latin1). */
export type HeaderList = readonly string[]

/** The value of a header, joined with `, ` when it comes several times. */
export function headerValue(headers: HeaderList, lowerCaseName: string): string | undefined {
  let value: string | undefined
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i]?.toLowerCase() === lowerCaseName)
      value = value === undefined ? headers[i + 1] : `${value}, ${headers[i + 1]}`
  return value
}

/** The members of a comma-separated list, in lower-case. */
export function listMembers(value: string): string[] {
  return value
    .toLowerCase()
    .split(',')
    .map((member) => member.trim())
}

/** The headers whose lower-case name passes. */
export function filterHeaders(headers: HeaderList, isKept: (lowerCaseName: string) => boolean): string[] {
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? ''
    if (isKept(name.toLowerCase())) kept.push(name, headers[i + 1] ?? '')
  }
  return kept
}
