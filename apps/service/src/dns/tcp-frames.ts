/** A question with its OPT record is far smaller; a larger frame is not a query. */
const frameMaxOctets = 4_096
const lengthOctets = 2

/** Splits a TCP byte stream into the messages behind their two-octet lengths (RFC 1035 4.2.2). */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  /** The messages that are complete with this chunk; null when the peer does not speak DNS and should be cut off. */
  read(chunk: Buffer): Buffer[] | null {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: Buffer[] = []
    while (rest.length >= lengthOctets) {
      const length = rest.readUInt16BE(0)
      if (length === 0 || length > frameMaxOctets) return null
      if (rest.length < lengthOctets + length) break
      messages.push(rest.subarray(lengthOctets, lengthOctets + length))
      rest = rest.subarray(lengthOctets + length)
    }
    this.#rest = rest
    return messages
  }
}
