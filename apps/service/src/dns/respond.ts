import { type Answer, lookUp, refused } from './lookup.ts'
import { classIn, recordTypes, responseCodes } from './protocol.ts'
import { type Query, readPacket } from './query.ts'
import { encodeError, encodeResponse, encodeTruncated, udpMaxOctets } from './response.ts'
import type { ZoneTable } from './zone-table.ts'

/** `tcp-hint`: over UDP, but only to say "come by TCP", to a network that asks too much. */
export type Transport = 'udp' | 'tcp' | 'tcp-hint'

const plainUdpMaxOctets = 512
const tcpMaxOctets = 65_535

/** The response to one packet; null when the packet deserves silence. */
export function respond(zones: ZoneTable, packet: Buffer, transport: Transport): Buffer | null {
  const read = readPacket(packet)
  if (read.kind === 'ignored') return null
  if (read.kind === 'wrong') return encodeError(read.header, read.code)
  if (transport === 'tcp-hint') return encodeTruncated(read.query, askAgain)
  return encodeResponse(read.query, answer(zones, read.query), maxOctets(read.query, transport))
}

const askAgain = { code: responseCodes.noError, isAuthoritative: false }

function answer(zones: ZoneTable, query: Query): Answer {
  if (query.edns !== null && query.edns.version > 0) return { ...refused, code: responseCodes.badVersion }
  if (query.class !== classIn || isMetaType(query.type)) return refused
  return lookUp(zones, query.name, query.type)
}

/** Transfers and other types that never name data (RFC 6895 3.1), apart from ANY; also OPT, which is no question. */
function isMetaType(type: number): boolean {
  return type === recordTypes.OPT || (type >= 128 && type < recordTypes.ANY)
}

function maxOctets(query: Query, transport: 'udp' | 'tcp'): number {
  if (transport === 'tcp') return tcpMaxOctets
  if (query.edns === null) return plainUdpMaxOctets
  return Math.min(udpMaxOctets, Math.max(plainUdpMaxOctets, query.edns.udpMaxOctets))
}
