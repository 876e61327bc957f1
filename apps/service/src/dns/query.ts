import { headerFlags, headerOctets, recordTypes, responseCodes } from './protocol.ts'
import { lowerCased, type WireName } from './wire-name.ts'

/** What a response repeats from the packet that it answers. */
export interface QueryHeader {
  readonly id: number
  readonly flags: number
}

export interface Query extends QueryHeader {
  /** The question as it arrived, for the response to echo: so mixed case survives (draft-vixie-dnsext-dns0x20). */
  readonly question: Buffer
  readonly name: WireName
  readonly type: number
  readonly class: number
  /** Null when the packet had no OPT record. */
  readonly edns: { readonly udpMaxOctets: number; readonly version: number } | null
}

export type ReadPacket =
  /** Not a query: answering it could start a loop between two servers. */
  | { readonly kind: 'ignored' }
  | { readonly kind: 'wrong'; readonly header: QueryHeader; readonly code: number }
  | { readonly kind: 'query'; readonly query: Query }

const nameMaxOctets = 255
const labelMaxOctets = 63
/** A query carries OPT, perhaps a signature and an SOA (IXFR); more is not a query that we could answer. */
const extraRecordsMax = 4

/** Reads a packet by hand and in linear time; compression pointers in the question are refused. */
export function readPacket(packet: Buffer): ReadPacket {
  if (packet.length < headerOctets) return { kind: 'ignored' }
  const header = { id: packet.readUInt16BE(0), flags: packet.readUInt16BE(2) }
  if (header.flags & headerFlags.response) return { kind: 'ignored' }
  if ((header.flags >> 11) & 0xf) return { kind: 'wrong', header, code: responseCodes.notImplemented }
  const query = readQuery(packet, header)
  return query === null ? { kind: 'wrong', header, code: responseCodes.formatError } : { kind: 'query', query }
}

function readQuery(packet: Buffer, header: QueryHeader): Query | null {
  if (packet.readUInt16BE(4) !== 1) return null
  const nameEnd = endOfName(packet, headerOctets, false)
  if (nameEnd === null || nameEnd + 4 > packet.length) return null
  const edns = readEdns(packet, nameEnd + 4)
  if (edns === 'malformed') return null
  return {
    ...header,
    question: packet.subarray(headerOctets, nameEnd + 4),
    name: lowerCased(packet.toString('latin1', headerOctets, nameEnd)),
    type: packet.readUInt16BE(nameEnd),
    class: packet.readUInt16BE(nameEnd + 2),
    edns,
  }
}

/** The offset behind the name that starts at `start`. A pointer, where allowed, ends the name and is not followed. */
function endOfName(packet: Buffer, start: number, mayPoint: boolean): number | null {
  for (let at = start; at < packet.length && at - start < nameMaxOctets;) {
    const length = packet[at] ?? 0
    if (length === 0) return at + 1
    if (mayPoint && length >= 0xc0) return at + 2
    if (length > labelMaxOctets) return null
    at += 1 + length
  }
  return null
}

function readEdns(packet: Buffer, start: number): Query['edns'] | 'malformed' {
  const records = packet.readUInt16BE(6) + packet.readUInt16BE(8) + packet.readUInt16BE(10)
  if (records > extraRecordsMax) return 'malformed'
  let edns: Query['edns'] = null
  let at = start
  for (let index = 0; index < records; index++) {
    const nameEnd = endOfName(packet, at, true)
    if (nameEnd === null || nameEnd + 10 > packet.length) return 'malformed'
    if (packet.readUInt16BE(nameEnd) === recordTypes.OPT) {
      if (edns !== null || nameEnd !== at + 1) return 'malformed'
      edns = { udpMaxOctets: packet.readUInt16BE(nameEnd + 2), version: packet[nameEnd + 5] ?? 0 }
    }
    at = nameEnd + 10 + packet.readUInt16BE(nameEnd + 8)
    if (at > packet.length) return 'malformed'
  }
  return edns
}
