const SLAB_BYTES = 16 * 1024

/**
 * Received bytes that wait for their reader. What they keep in memory stays within about twice their number:
 * chunks that are small views on large buffers are copied together.
 */
export class HeldBytes {
  #chunks: Buffer[] = []
  #slab: Buffer | null = null
  #slabUsed = 0
  /** Whether the last chunk is the used end of the slab, and can grow. */
  #isOpenEnded = false

  get isEmpty(): boolean {
    return this.#chunks.length === 0
  }

  push(chunk: Buffer): void {
    if (chunk.length * 2 >= chunk.buffer.byteLength) {
      this.#chunks.push(chunk)
      this.#isOpenEnded = false
    } else this.#copy(chunk)
  }

  shift(): Buffer | undefined {
    const chunk = this.#chunks.shift()
    if (this.#chunks.length === 0) this.#forgetSlab()
    return chunk
  }

  clear(): void {
    this.#chunks = []
    this.#forgetSlab()
  }

  #copy(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      const slab = this.#slabWithRoom()
      const part = rest.subarray(0, slab.length - this.#slabUsed)
      slab.set(part, this.#slabUsed)
      this.#append(slab, this.#slabUsed, part.length)
      this.#slabUsed += part.length
      rest = rest.subarray(part.length)
    }
  }

  #append(slab: Buffer, start: number, size: number): void {
    const last = this.#isOpenEnded ? this.#chunks.pop() : undefined
    const begin = last ? last.byteOffset - slab.byteOffset : start
    this.#chunks.push(slab.subarray(begin, start + size))
    this.#isOpenEnded = true
  }

  #slabWithRoom(): Buffer {
    if (this.#slab && this.#slabUsed < this.#slab.length) return this.#slab
    this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    this.#slabUsed = 0
    this.#isOpenEnded = false
    return this.#slab
  }

  #forgetSlab(): void {
    this.#slab = null
    this.#isOpenEnded = false
  }
}
