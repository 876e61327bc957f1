/** Bytes that end early, go on too long, or do not hold what the format demands. */
export class WireError extends Error {
  override readonly name = 'WireError'
}

/** Reads the primitive values of RFC 4251, section 5. Never reads past the end and never copies. */
export class WireReader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length
  }

  get position(): number {
    return this.#position
  }

  uint32(): number {
    return this.#take(4).readUInt32BE()
  }

  uint64(): bigint {
    return this.#take(8).readBigUInt64BE()
  }

  string(): Buffer {
    return this.#take(this.uint32())
  }

  text(): string {
    return this.string().toString()
  }

  /** The magnitude of a positive mpint, or undefined unless it is in its one canonical form (RFC 4251, section 5). */
  positiveMpint(): Buffer | undefined {
    const bytes = this.string()
    const [first = 0, second = 0] = bytes
    const isPaddedForSign = first === 0 && second >= 0x80
    if (first >= 0x80 || (first === 0 && !isPaddedForSign)) return undefined
    return isPaddedForSign ? bytes.subarray(1) : bytes
  }

  /** Throws unless everything was read. */
  end(): void {
    if (!this.isAtEnd) throw new WireError('bytes follow the last field')
  }

  #take(length: number): Buffer {
    const end = this.#position + length
    if (end > this.#bytes.length) throw new WireError('the bytes end early')
    const taken = this.#bytes.subarray(this.#position, end)
    this.#position = end
    return taken
  }
}
