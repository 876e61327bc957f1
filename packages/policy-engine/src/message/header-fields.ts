import { limits } from '../document/limits.ts'
import { HeaderIndex } from './header-index.ts'

/** What a field counts beside its characters, as in RFC 7541, section 4.1. */
const fieldOverheadChars = 32

/** Ordered header fields of one message. Names keep the case that was sent and compare without it; duplicates stay apart. */
export class HeaderFields {
  /** Name, value, name, value: the form in which HTTP parsers deliver and take headers. Never changed in place. */
  #raw: readonly string[]
  #byName: HeaderIndex | undefined
  #addedChars = 0

  constructor(raw: readonly string[]) {
    this.#raw = raw
  }

  get raw(): readonly string[] {
    return this.#raw
  }

  /** Values by lower-case name, in the order of the message. The map lives until the next change. */
  get byName(): ReadonlyMap<string, readonly string[]> {
    return (this.#byName ??= new HeaderIndex(this.#raw))
  }

  all(lowerName: string): readonly string[] {
    return this.byName.get(lowerName) ?? []
  }

  first(lowerName: string): string | undefined {
    return this.byName.get(lowerName)?.[0]
  }

  append(name: string, value: string): void {
    this.#change([...this.#raw, name, value])
  }

  /** Appends, or replaces where a header stands for one thing. False, and nothing changed, when there is no room for more. */
  add(lowerName: string, value: string): boolean {
    const size = lowerName.length + value.length + fieldOverheadChars
    if (this.#addedChars + size > limits.headersAddedMaxChars) return false
    this.#addedChars += size
    if (lowerName === 'host') this.set(lowerName, value)
    else this.append(lowerName, value)
    return true
  }

  set(lowerName: string, value: string): void {
    this.remove(lowerName)
    this.append(lowerName, value)
  }

  /** True when there was something to remove. */
  remove(lowerName: string): boolean {
    if (!this.byName.has(lowerName)) return false
    this.#change(without(this.#raw, lowerName))
    return true
  }

  #change(raw: readonly string[]): void {
    this.#raw = raw
    this.#byName = undefined
  }
}

function without(raw: readonly string[], lowerName: string): string[] {
  const kept: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? ''
    if (name.toLowerCase() !== lowerName) kept.push(name, raw[i + 1] ?? '')
  }
  return kept
}
