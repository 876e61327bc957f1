/** Who has which host name. `*.` in front stands for every name below, at any depth. */
export class HostTable {
  readonly #ids = new Map<string, string>()

  get isEmpty(): boolean {
    return this.#ids.size === 0
  }

  set(host: string, id: string): void {
    this.#ids.set(host, id)
  }

  delete(host: string): void {
    this.#ids.delete(host)
  }

  /** An exact name comes before the wildcards that cover it, the longest first. */
  find(host: string): string | undefined {
    return this.#ids.get(host) ?? this.#wildcardOver(host)
  }

  #wildcardOver(host: string): string | undefined {
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      const id = this.#ids.get(`*${host.slice(dot)}`)
      if (id !== undefined) return id
    }
    return undefined
  }
}
