/** Up to so many fields, reading the list is quicker than making an index of it. */
const scannedMaxFields = 32

/** The values of header fields by lower-case name, in the order of the message. */
export class HeaderIndex implements ReadonlyMap<string, readonly string[]> {
  readonly #raw: readonly string[]
  #all: Map<string, string[]> | undefined

  /** Takes name, value, name, value. */
  constructor(raw: readonly string[]) {
    this.#raw = raw
  }

  get(lowerName: string): readonly string[] | undefined {
    if (this.#all !== undefined || this.#raw.length > 2 * scannedMaxFields) return this.#index.get(lowerName)
    return scan(this.#raw, lowerName)
  }

  has(lowerName: string): boolean {
    return this.get(lowerName) !== undefined
  }

  get size(): number {
    return this.#index.size
  }

  keys(): MapIterator<string> {
    return this.#index.keys()
  }

  values(): MapIterator<readonly string[]> {
    return this.#index.values()
  }

  entries(): MapIterator<[string, readonly string[]]> {
    return this.#index.entries()
  }

  [Symbol.iterator](): MapIterator<[string, readonly string[]]> {
    return this.entries()
  }

  forEach(visit: (values: readonly string[], name: string, map: ReadonlyMap<string, readonly string[]>) => void): void {
    for (const [name, values] of this.#index) visit(values, name, this)
  }

  get #index(): Map<string, string[]> {
    return (this.#all ??= indexByName(this.#raw))
  }
}

function scan(raw: readonly string[], lowerName: string): string[] | undefined {
  let values: string[] | undefined
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? ''
    if (name.length !== lowerName.length || name.toLowerCase() !== lowerName) continue
    const value = raw[i + 1] ?? ''
    if (values) values.push(value)
    else values = [value]
  }
  return values
}

function indexByName(raw: readonly string[]): Map<string, string[]> {
  const index = new Map<string, string[]>()
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase()
    const values = index.get(name)
    if (values) values.push(raw[i + 1] ?? '')
    else index.set(name, [raw[i + 1] ?? ''])
  }
  return index
}
