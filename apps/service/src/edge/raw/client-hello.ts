/** What is known of the name in a TLS ClientHello that may not have come whole. */
export type ServerNameState =
  | { readonly kind: 'incomplete' }
  /** Complete; undefined: it names no server, or is no ClientHello at all. */
  | { readonly kind: 'known'; readonly serverName: string | undefined }

const recordHeaderBytes = 5
const handshakeRecord = 22
const clientHello = 1
const serverNameExtension = 0
const hostNameType = 0
/** A ClientHello that is larger is left to the TLS library to judge. */
const helloMaxBytes = 16_384

const noName: ServerNameState = { kind: 'known', serverName: undefined }

/** Reads the server name (RFC 6066 3) of the first bytes of a connection, however they are cut into records. Never throws. */
export function readServerName(bytes: Buffer): ServerNameState {
  const handshake = joinRecords(bytes)
  if (handshake === null) return noName
  if (handshake.length < 4) return { kind: 'incomplete' }
  const length = handshake.readUIntBE(1, 3)
  if (handshake[0] !== clientHello || length > helloMaxBytes) return noName
  if (handshake.length < 4 + length) return { kind: 'incomplete' }
  return { kind: 'known', serverName: serverNameIn(new Reader(handshake.subarray(4, 4 + length))) }
}

/** The handshake bytes of all records; null when this is not TLS. */
function joinRecords(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== handshakeRecord) return null
    if (at + recordHeaderBytes > bytes.length) break
    const end = at + recordHeaderBytes + bytes.readUInt16BE(at + 3)
    parts.push(bytes.subarray(at + recordHeaderBytes, end))
    at = end
  }
  return Buffer.concat(parts)
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
