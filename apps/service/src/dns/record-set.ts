import { type Answer as CodecRecord, encode } from 'dns-packet'
import { recordTypes } from './protocol.ts'
import { toWireName, type WireName } from './wire-name.ts'

interface SoaFields {
  readonly mname: string
  readonly rname: string
  readonly serial: number
}

/** The data of all records of one type at one name. Names are dotted text. */
export type RecordData =
  | { readonly type: 'A' | 'AAAA' | 'NS' | 'CNAME' | 'TXT'; readonly values: readonly string[] }
  | { readonly type: 'SOA'; readonly values: readonly [SoaFields] }
  | {
      readonly type: 'CAA'
      readonly values: readonly { readonly tag: 'issue' | 'issuewild'; readonly value: string }[]
    }
  | { readonly type: 'HINFO'; readonly values: readonly [{ readonly cpu: string; readonly os: string }] }

/** Records of one type at one name, encoded once, when the zone changes, and copied into every answer. */
export interface RecordSet {
  readonly type: number
  readonly ttlSeconds: number
  readonly data: readonly Buffer[]
  /** The names that NS and CNAME records point at; empty for other types. */
  readonly targets: readonly WireName[]
}

const refreshSeconds = 7_200
const retrySeconds = 900
const expireSeconds = 1_209_600
/** How long a resolver may remember that a name does not exist (RFC 2308 5): short, because challenges appear suddenly. */
export const negativeTtlSeconds = 60

const textChunkOctets = 255
/** Root owner, type, class, TTL and length stand before the data of the only record in a message. */
const dataOffset = 12 + 1 + 10

export function recordSet(ttlSeconds: number, record: RecordData): RecordSet {
  return {
    type: recordTypes[record.type],
    ttlSeconds,
    data: codecRecords(record).map((codec) =>
      Buffer.from(encode({ type: 'response', answers: [codec] }).subarray(dataOffset)),
    ),
    targets: record.type === 'NS' || record.type === 'CNAME' ? record.values.map(toWireName) : [],
  }
}

function codecRecords(record: RecordData): CodecRecord[] {
  return codecData(record).map((data) => ({ name: '.', type: record.type, data }) as CodecRecord)
}

function codecData(record: RecordData): readonly unknown[] {
  if (record.type === 'TXT') return record.values.map((text) => textChunks(Buffer.from(text)))
  if (record.type === 'CAA') return record.values.map((data) => ({ flags: 0, ...data }))
  if (record.type === 'SOA') return record.values.map((data) => ({ ...soaTimes, ...data }))
  return record.values
}

const soaTimes = {
  refresh: refreshSeconds,
  retry: retrySeconds,
  expire: expireSeconds,
  minimum: negativeTtlSeconds,
}

/** One TXT record may hold several strings of at most 255 octets; readers join them (RFC 1035 3.3.14). */
function textChunks(text: Buffer): Buffer[] {
  const count = Math.max(1, Math.ceil(text.length / textChunkOctets))
  return Array.from({ length: count }, (_, index) =>
    text.subarray(index * textChunkOctets, (index + 1) * textChunkOctets),
  )
}
