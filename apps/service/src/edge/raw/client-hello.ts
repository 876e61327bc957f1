import { GrowingBytes } from '../growing-bytes.ts'

/** What is known of the name in a TLS ClientHello that may not have come whole. */
export type ServerNameState =
  | { readonly kind: 'incomplete' }
  /** Complete; undefined: it names no server, or is no ClientHello at all. */
  | { readonly kind: 'known'; readonly serverName: string | undefined }

const recordHeaderBytes = 5
const handshakeRecord = 22
const handshakeHeaderBytes = 4
const clientHello = 1
const serverNameExtension = 0
const hostNameType = 0
/** A ClientHello that is larger, or cut into absurdly many records, counts as one without a name: no client sends such. */
const helloMaxBytes = 16_384
const receivedMaxBytes = 2 * helloMaxBytes

const noName: ServerNameState = { kind: 'known', serverName: undefined }

/**
 * Reads the server name (RFC 6066 3) of the first bytes of a connection, however they are cut into chunks and records. Looks
 * at each byte once and keeps a bounded number of them, so that a stranger can make it neither work nor grow. Never throws.
 */
export class HelloReader {
  readonly #received = new GrowingBytes()
  readonly #handshake = new GrowingBytes()
  /** Where the next record, or what is missing of the current one, begins. */
  #at = 0
  #leftOfRecord = 0

  /** Everything that came, for whoever answers it. */
  get received(): Buffer {
    return this.#received.bytes
  }

  add(chunk: Buffer): ServerNameState {
    this.#received.add(chunk)
    if (this.#received.length > receivedMaxBytes || !this.#joinRecords()) return noName
    const handshake = this.#handshake.bytes
    if (handshake.length < handshakeHeaderBytes) return { kind: 'incomplete' }
    const end = handshakeHeaderBytes + handshake.readUIntBE(1, 3)
    if (handshake[0] !== clientHello || end > helloMaxBytes) return noName
    if (handshake.length < end) return { kind: 'incomplete' }
    return { kind: 'known', serverName: serverNameIn(new Reader(handshake.subarray(handshakeHeaderBytes, end))) }
  }

  /** Adds the handshake bytes of the records that have come; false when this is not TLS. */
  #joinRecords(): boolean {
    const { received } = this
    while (this.#at < received.length) {
      if (this.#leftOfRecord === 0) {
        if (received[this.#at] !== handshakeRecord) return false
        if (this.#at + recordHeaderBytes > received.length) break
        this.#leftOfRecord = received.readUInt16BE(this.#at + 3)
        // Forbidden (RFC 8446 5.1), and endless.
        if (this.#leftOfRecord === 0) return false
        this.#at += recordHeaderBytes
      }
      const part = received.subarray(this.#at, this.#at + this.#leftOfRecord)
      this.#handshake.add(part)
      this.#at += part.length
      this.#leftOfRecord -= part.length
    }
    return true
  }
}

function serverNameIn(hello: Reader): string | undefined {
  hello.skip(2 + 32) // version, random
  hello.block(1) // session id
  hello.block(2) // cipher suites
  hello.block(1) // compression methods
  const extensions = hello.block(2)
  while (extensions.hasMore) {
    const type = extensions.number(2)
    const content = extensions.block(2)
    if (type === serverNameExtension) return hostNameIn(content.block(2))
  }
  return undefined
}

function hostNameIn(names: Reader): string | undefined {
  const type = names.number(1)
  const name = names.block(2).text().toLowerCase().replace(/\.$/, '')
  return type === hostNameType && name !== '' ? name : undefined
}

/** Reads numbers and length-prefixed blocks; past the end everything is empty. */
class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get hasMore(): boolean {
    return this.#at < this.#bytes.length
  }

  skip(count: number): void {
    this.#at += count
  }

  number(size: number): number {
    const start = this.#at
    this.#at += size
    return this.#at <= this.#bytes.length ? this.#bytes.readUIntBE(start, size) : 0
  }

  block(lengthSize: number): Reader {
    const length = this.number(lengthSize)
    const start = this.#at
    this.#at += length
    return new Reader(this.#bytes.subarray(start, this.#at))
  }

  text(): string {
    return this.#bytes.toString('latin1')
  }
}
