/** Which certificate serves a name of the TLS handshake. Holds names and ids only, so that many cost little. */
export class ServedNames {
  readonly #certificateOf = new Map<string, string>()
  readonly #namesOf = new Map<string, readonly string[]>()

  /** Sets the names that an owner (a domain, an ingress) serves with a certificate; they replace its earlier ones. */
  set(ownerId: string, names: readonly string[], certificateId: string): void {
    this.delete(ownerId)
    this.#namesOf.set(ownerId, names)
    for (const name of names) this.#certificateOf.set(name, certificateId)
  }

  delete(ownerId: string): void {
    for (const name of this.#namesOf.get(ownerId) ?? []) this.#certificateOf.delete(name)
    this.#namesOf.delete(ownerId)
  }

  /** The certificate for a lower-case name: its own, or that of the wildcard which stands for its first label. */
  find(name: string): string | undefined {
    return this.#certificateOf.get(name) ?? this.#certificateOf.get(`*${name.slice(name.indexOf('.'))}`)
  }
}
