import { type DecodedPacket, decode, encode, type RecordType } from 'dns-packet'
import { randomInt } from 'node:crypto'
import { connect } from 'node:net'

export interface DnsQuestion {
  readonly address: string
  readonly port: number
  readonly name: string
  readonly type: RecordType
}

const answerWithinMs = 3_000
const lengthOctets = 2
/** Many name servers with many addresses; a larger answer only costs time to read. */
const answerMaxOctets = 8_192

/** Asks one name server, without recursion and over TCP, where answers are whole and cannot be forged from aside. */
export async function askServer({ address, port, name, type }: DnsQuestion): Promise<DecodedPacket> {
  const id = randomInt(2 ** 16)
  const query = encode({ id, type: 'query', flags: 0, questions: [{ name, type }] })
  const answer = decode(await exchange(address, port, query))
  const [question] = answer.questions ?? []
  if (answer.id !== id || question?.name.toLowerCase() !== name.toLowerCase())
    throw new Error(`${address} answered something else`)
  return answer
}

async function exchange(address: string, port: number, query: Buffer): Promise<Buffer> {
  const socket = connect({ host: address, port, signal: AbortSignal.timeout(answerWithinMs) })
  try {
    socket.write(Buffer.concat([Buffer.of(query.length >> 8, query.length & 0xff), query]))
    let received = Buffer.alloc(0)
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer])
      if (received.length < lengthOctets) continue
      const octets = received.readUInt16BE(0)
      if (octets > answerMaxOctets) throw new Error(`${address} answers with ${octets} octets`)
      if (received.length >= lengthOctets + octets) break
    }
    return received.subarray(lengthOctets)
  } finally {
    socket.destroy()
  }
}
