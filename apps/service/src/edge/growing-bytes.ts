/** Bytes that come in pieces, joined without copying for every piece what is there already. */
export class GrowingBytes {
  #room: Buffer = Buffer.alloc(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length)
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length
    if (this.#length === 0) this.#room = piece
    else {
      if (length > this.#room.length) this.#grow(2 * length)
      piece.copy(this.#room, this.#length)
    }
    this.#length = length
  }

  #grow(size: number): void {
    const room = Buffer.allocUnsafe(size)
    this.#room.copy(room, 0, 0, this.#length)
    this.#room = room
  }
}
