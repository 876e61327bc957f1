import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { connect } from 'node:tls'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HelloReader, type ServerNameState } from './client-hello.ts'

function readServerName(...chunks: readonly Buffer[]): ServerNameState {
  const reader = new HelloReader()
  return chunks.map((chunk) => reader.add(chunk)).at(-1) ?? { kind: 'incomplete' }
}

/** What Node's TLS sends first. */
async function clientHello(servername: string): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect({ port: (server.address() as AddressInfo).port, servername, rejectUnauthorized: false })
  socket.on('error', () => undefined)
  const [accepted] = (await once(server, 'connection')) as [Socket]
  const [bytes] = (await once(accepted, 'data')) as [Buffer]
  accepted.destroy()
  socket.destroy()
  server.close()
  return bytes
}

describe('the name in a ClientHello', () => {
  it('is found when the last byte has come, and not before', async () => {
    const hello = await clientHello('App.Example.com')
    for (let end = 1; end < hello.length; end++)
      expect(readServerName(hello.subarray(0, end))).toEqual({ kind: 'incomplete' })
    expect(readServerName(hello)).toEqual({ kind: 'known', serverName: 'app.example.com' })
  })

  it('is found when the handshake is split over records of any size', async () => {
    const handshake = (await clientHello('app.example.com')).subarray(5)
    for (const size of [1, 2, 7, 100]) {
      const records: Buffer[] = []
      for (let at = 0; at < handshake.length; at += size) {
        const part = handshake.subarray(at, at + size)
        records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part)
      }
      expect(readServerName(Buffer.concat(records))).toEqual({ kind: 'known', serverName: 'app.example.com' })
    }
  })

  it('is found when every byte comes by itself, and what came is kept for who answers', async () => {
    const hello = await clientHello('app.example.com')
    const reader = new HelloReader()
    const states = Array.from(hello, (byte) => reader.add(Buffer.of(byte)).kind)
    expect(states.indexOf('known')).toBe(hello.length - 1)
    expect(reader.received).toEqual(hello)
  })

  it('is not waited for when records are empty, or more than a ClientHello can be', () => {
    const none = { kind: 'known', serverName: undefined }
    expect(readServerName(Buffer.from([22, 3, 1, 0, 0]))).toEqual(none)
    const oneByteRecords = Buffer.concat(Array.from({ length: 6_000 }, () => Buffer.from([22, 3, 1, 0, 1, 1])))
    expect(readServerName(oneByteRecords)).toEqual(none)
    expect(readServerName(Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x3f, 0]))).toEqual({ kind: 'incomplete' })
    expect(readServerName(Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x40, 0]))).toEqual(none)
  })

  it('is absent when there is none, or when this is not TLS', async () => {
    expect(readServerName(await clientHello(''))).toEqual({ kind: 'known', serverName: undefined })
    expect(readServerName(Buffer.from('GET / HTTP/1.1\r\n'))).toEqual({ kind: 'known', serverName: undefined })
  })

  it('never throws, whatever comes', async () => {
    const hello = await clientHello('app.example.com')
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(hello.length - 1), fc.nat(255)), { maxLength: 8 }), (changes) => {
        const damaged = Buffer.from(hello)
        for (const [index, byte] of changes) damaged[index] = byte
        expect(['incomplete', 'known']).toContain(readServerName(damaged).kind)
      }),
    )
  })
})
