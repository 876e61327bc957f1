import { decode, encode, type OptAnswer } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { Authority } from './authority.ts'
import { respond } from './respond.ts'
import { readPacket } from './query.ts'
import { udpMaxOctets } from './response.ts'

const mutations = process.env['TEST_LONG'] === '1' ? 1_000_000 : 20_000
const plainMaxOctets = 512

function authority(): Authority {
  const subject = new Authority({ domain: 'svc.test', publicIps: ['192.0.2.1', '2001:db8::1'], nowSeconds: () => 1 })
  subject.loadIngress({
    domain: 'connect.acme.test',
    nsTargets: ['1.x.ns.svc.test.', '2.x.ns.svc.test.'],
    regionDomains: ['tunnel.eu.connect.acme.test'],
  })
  subject.publishText(
    'a.acme-challenge.svc.test',
    Array.from({ length: 12 }, (_, index) => `${index}`.padEnd(200, 'x')),
  )
  return subject
}

function opt(udpPayloadSize: number): OptAnswer {
  return {
    name: '.',
    type: 'OPT',
    udpPayloadSize,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  }
}

const seeds = [
  encode({ id: 7, questions: [{ name: 'A.acme-challenge.svc.test', type: 'TXT' }] }),
  encode({ id: 8, questions: [{ name: 'connect.acme.test', type: 'NS' }], additionals: [opt(4_096)] }),
  encode({ id: 9, questions: [{ name: 'x.y.svc.test', type: 'AAAA' }], additionals: [opt(100)] }),
  encode({ id: 10, questions: [{ name: 'example.com', type: 'A' }] }),
]

/** Reproducible: xorshift32. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}

function mutate(packet: Buffer, next: () => number): Buffer {
  const copy = Buffer.from(packet)
  for (let count = 1 + (next() % 6); count > 0; count--) copy[next() % copy.length] = next() & 0xff
  return next() % 4 === 0 ? copy.subarray(0, next() % (copy.length + 1)) : copy
}

function isSound(packet: Buffer, response: Buffer): boolean {
  const read = readPacket(packet)
  const hasEdns = read.kind === 'query' && read.query.edns !== null
  const isReply = response.readUInt16BE(0) === packet.readUInt16BE(0) && (response[2]! & 0x80) !== 0
  return isReply && response.length <= (hasEdns ? udpMaxOctets : plainMaxOctets)
}

describe('responding', () => {
  it(`survives ${mutations} mutated packets: no throw, no answer above its bound, always a reply to what was asked`, () => {
    const { zones } = authority()
    const next = numbers(0x5eed)
    const breaches: string[] = []
    let answered = 0
    for (let round = 0; round < mutations; round++) {
      const packet = mutate(seeds[round % seeds.length]!, next)
      const response = respond(zones, packet, 'udp')
      if (response === null) continue
      answered += 1
      if (!isSound(packet, response)) breaches.push(packet.toString('hex'))
    }
    expect(breaches).toEqual([])
    expect(answered).toBeGreaterThan(mutations / 2)
  })

  it('is silent to responses and to fragments of a header, so that two servers cannot answer each other', () => {
    const { zones } = authority()
    const response = respond(zones, seeds[0]!, 'udp')
    expect(response).not.toBeNull()
    expect(respond(zones, response!, 'udp')).toBeNull()
    expect(respond(zones, seeds[0]!.subarray(0, 11), 'udp')).toBeNull()
  })

  it('refuses a compression pointer in the question, and eight thousand questions, at once', () => {
    const { zones } = authority()
    const pointer = Buffer.concat([seeds[0]!.subarray(0, 12), Buffer.from([0xc0, 0x0c, 0, 1, 0, 1])])
    const many = Buffer.concat([seeds[0]!.subarray(0, 12), Buffer.alloc(6 * 8_192, pointer.subarray(12))])
    many.writeUInt16BE(8_192, 4)
    for (const packet of [pointer, many]) expect(respond(zones, packet, 'tcp')?.readUInt16BE(2)).toBe(0x8001)
  })

  it('echoes labels with dots and odd octets as they came', () => {
    const { zones } = authority()
    const question = Buffer.from([3, 0x61, 0x2e, 0xff, ...Buffer.from('\u0003svc\u0004test\0', 'latin1'), 0, 1, 0, 1])
    const response = respond(zones, Buffer.concat([seeds[0]!.subarray(0, 12), question]), 'udp')
    expect(response?.subarray(12, 12 + question.length)).toEqual(question)
  })

  it('gives way over UDP: glue first, then everything with the truncation flag', () => {
    const { zones } = authority()
    const ask = (packet: Buffer) => decode(respond(zones, packet, 'udp')!)
    expect(ask(seeds[0]!)).toMatchObject({ flag_tc: true, answers: [] })
    expect(decode(respond(zones, seeds[0]!, 'tcp')!).answers).toHaveLength(12)
    expect(ask(seeds[1]!)).toMatchObject({ flag_tc: false, flag_aa: true })
  })

  it('tells a network that asks too much to come by TCP, with no more octets than it sent', () => {
    const { zones } = authority()
    const response = respond(zones, seeds[1]!, 'tcp-hint')!
    expect(decode(response)).toMatchObject({ flag_tc: true, rcode: 'NOERROR', answers: [] })
    expect(response.length).toBeLessThanOrEqual(seeds[1]!.length)
  })
})
