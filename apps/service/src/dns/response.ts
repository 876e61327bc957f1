import type { Answer, OwnedSet } from './lookup.ts'
import { classIn, echoedFlags, headerFlags, headerOctets, recordTypes } from './protocol.ts'
import type { Query, QueryHeader } from './query.ts'
import type { WireName } from './wire-name.ts'

/** What we can receive and the most we send over UDP without fragments (RFC 9715). */
export const udpMaxOctets = 1_232

const optOctets = 11
const pointerOctets = 2
/** Type, class, TTL and data length. */
const recordFieldsOctets = 10

/** Encodes an answer within `maxOctets`: glue goes first, then all records, and the client is told to come by TCP. */
export function encodeResponse(query: Query, answer: Answer, maxOctets: number): Buffer {
  const whole = layOut(query, answer)
  if (whole.octets <= maxOctets) return write(query, answer.code, flagsOf(answer), whole)
  const withoutGlue = layOut(query, { ...answer, additional: [] })
  if (withoutGlue.octets <= maxOctets) return write(query, answer.code, flagsOf(answer), withoutGlue)
  return encodeTruncated(query, answer)
}

/** The question alone, with the flag that says "ask again over TCP". */
export function encodeTruncated(query: Query, answer: Pick<Answer, 'code' | 'isAuthoritative'>): Buffer {
  const empty = layOut(query, { answers: [], authority: [], additional: [] })
  return write(query, answer.code, flagsOf(answer) | headerFlags.truncated, empty)
}

/** A bare header for a packet whose question cannot be read or is not for us to interpret. */
export function encodeError(header: QueryHeader, code: number): Buffer {
  const packet = Buffer.alloc(headerOctets)
  packet.writeUInt16BE(header.id, 0)
  packet.writeUInt16BE(headerFlags.response | (header.flags & echoedFlags) | code, 2)
  return packet
}

interface Layout {
  readonly sections: readonly (readonly OwnedSet[])[]
  readonly octets: number
}

function flagsOf(answer: Pick<Answer, 'isAuthoritative'>): number {
  return answer.isAuthoritative ? headerFlags.authoritative : 0
}

function layOut(query: Query, answer: Pick<Answer, 'answers' | 'authority' | 'additional'>): Layout {
  const sections = [answer.answers, answer.authority, answer.additional]
  let octets = headerOctets + query.question.length + (query.edns === null ? 0 : optOctets)
  for (const section of sections) for (const owned of section) octets += octetsOf(query.name, owned)
  return { sections, octets }
}

function octetsOf(questionName: WireName, { owner, set }: OwnedSet): number {
  const each = (questionName.endsWith(owner) ? pointerOctets : owner.length) + recordFieldsOctets
  return set.data.reduce((sum, data) => sum + each + data.length, 0)
}

function write(query: Query, code: number, flags: number, { sections, octets }: Layout): Buffer {
  const packet = Buffer.allocUnsafe(octets)
  packet.writeUInt16BE(query.id, 0)
  packet.writeUInt16BE(headerFlags.response | (query.flags & echoedFlags) | flags | (code & 0xf), 2)
  packet.writeUInt16BE(1, 4)
  let at = headerOctets + query.question.copy(packet, headerOctets)
  for (const [index, section] of sections.entries()) {
    let count = 0
    for (const owned of section) {
      at = writeSet(packet, at, query.name, owned)
      count += owned.set.data.length
    }
    packet.writeUInt16BE(count, 6 + 2 * index)
  }
  if (query.edns !== null) writeOpt(packet, at, code)
  return packet
}

function writeSet(packet: Buffer, start: number, questionName: WireName, { owner, set }: OwnedSet): number {
  let at = start
  for (const data of set.data) {
    at = writeOwner(packet, at, questionName, owner)
    packet.writeUInt16BE(set.type, at)
    packet.writeUInt16BE(classIn, at + 2)
    packet.writeUInt32BE(set.ttlSeconds, at + 4)
    packet.writeUInt16BE(data.length, at + 8)
    at += recordFieldsOctets + data.copy(packet, at + recordFieldsOctets)
  }
  return at
}

/** Almost every owner is the name asked for or one of its ancestors: a pointer into the echoed question (RFC 1035 4.1.4). */
function writeOwner(packet: Buffer, at: number, questionName: WireName, owner: WireName): number {
  if (!questionName.endsWith(owner)) return at + packet.write(owner, at, 'latin1')
  return packet.writeUInt16BE(0xc000 | (headerOctets + questionName.length - owner.length), at)
}

function writeOpt(packet: Buffer, at: number, code: number): void {
  packet[at] = 0
  packet.writeUInt16BE(recordTypes.OPT, at + 1)
  packet.writeUInt16BE(udpMaxOctets, at + 3)
  packet.writeUInt32BE((code >> 4) << 24, at + 5)
  packet.writeUInt16BE(0, at + 9)
  packet.writeUInt16BE(packet.readUInt16BE(10) + 1, 10)
}
