const MAX_CHARS = 1 << 20

/** The last mebichar of what a program has printed, or up to twice as much. Adding costs the same however much there is. */
export class CollectedOutput {
  #older: string[] = []
  #recent: string[] = []
  #recentChars = 0

  add(text: string): void {
    this.#recent.push(text)
    this.#recentChars += text.length
    if (this.#recentChars < MAX_CHARS) return
    this.#older = this.#recent
    this.#recent = []
    this.#recentChars = 0
  }

  text(): string {
    return this.#older.join('') + this.#recent.join('')
  }
}
