/** Collects the primitive values of RFC 4251, section 5, and joins them once. */
export class WireWriter {
  readonly #parts: Buffer[] = []

  uint8(value: number): this {
    return this.raw(Buffer.of(value))
  }

  uint32(value: number): this {
    const bytes = Buffer.allocUnsafe(4)
    bytes.writeUInt32BE(value)
    return this.raw(bytes)
  }

  uint64(value: bigint): this {
    const bytes = Buffer.allocUnsafe(8)
    bytes.writeBigUInt64BE(value)
    return this.raw(bytes)
  }

  string(value: string | Buffer): this {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value
    return this.uint32(bytes.length).raw(bytes)
  }

  /** An unsigned big-endian number as mpint: no needless zeros, one zero before a high bit. */
  mpint(magnitude: Buffer): this {
    const start = magnitude.findIndex((byte) => byte !== 0)
    if (start === -1) return this.uint32(0)
    const digits = magnitude.subarray(start)
    const isHighBitSet = (digits[0] ?? 0) >= 0x80
    return this.string(isHighBitSet ? Buffer.concat([Buffer.of(0), digits]) : digits)
  }

  /** Bytes that carry their own structure. */
  raw(bytes: Buffer): this {
    this.#parts.push(bytes)
    return this
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.#parts)
  }
}
