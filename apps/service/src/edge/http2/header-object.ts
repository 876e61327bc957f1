import type { HeaderList } from '../headers/header-list.ts'

/** Headers in the shape of Node's HTTP/2: lower-case names, several values as an array. */
export function headerObject(headers: HeaderList): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {}
  for (let i = 0; i < headers.length; i += 2) {
    const name = (headers[i] ?? '').toLowerCase()
    const value = headers[i + 1] ?? ''
    const earlier = object[name]
    object[name] = earlier === undefined ? value : [earlier, value].flat()
  }
  return object
}
