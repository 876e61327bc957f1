import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proxyHeaderV2, tcp4 } from './proxy-headers.ts'
import { startTestEdge } from './running-edge.ts'
import { RawVisitor } from './raw-visitor.ts'
import { testCertificates } from './test-certificates.ts'

const handshakeMs = 200

/** The program behind `tls.test`, which ends TLS itself. */
const program = createTlsServer((socket) => socket.end(`inside for ${String(socket.servername)}`))
program.on('tlsClientError', () => undefined)
let edge: Awaited<ReturnType<typeof startTestEdge>>
beforeAll(async () => {
  program.setSecureContext((await testCertificates()).fallback())
  await once(program.listen(0, '127.0.0.1'), 'listening')
  const upstreamPort = (program.address() as AddressInfo).port
  edge = await startTestEdge({ upstreamPort, limits: { tlsHandshakeMs: handshakeMs } })
})
afterAll(async () => {
  program.close()
  await edge[Symbol.asyncDispose]()
})

async function connected(port = edge.tlsPort): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  await once(
    socket.on('error', () => undefined),
    'connect',
  )
  return socket
}

/** TLS whose first flight goes through `send`, which cuts it as it likes. */
async function answerOf(
  send: (hello: Buffer, socket: Socket) => Promise<void>,
  servername = 'tls.test',
): Promise<string> {
  const below = await connected()
  let isFirst = true
  const carrier = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      if (isFirst) void send(chunk, below)
      else below.write(chunk)
      isFirst = false
      done()
    },
    final: (done) => void below.end(done),
  })
  below.on('data', (chunk) => carrier.push(chunk)).on('end', () => carrier.push(null))
  below.on('close', () => carrier.destroy())
  const tls = connectTls({ socket: carrier, servername, rejectUnauthorized: false })
  const answer = await text(tls)
  below.destroy()
  return answer
}

/** The handshake of one record, in records of this many bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const handshake = hello.subarray(5)
  const records: Buffer[] = []
  for (let at = 0; at < handshake.length; at += size) {
    const part = handshake.subarray(at, at + size)
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part)
  }
  return Buffer.concat(records)
}

async function inSegments(bytes: Buffer, socket: Socket): Promise<void> {
  for (const byte of bytes) await new Promise((resolve) => socket.write(Buffer.of(byte), resolve))
}

/** What Node's TLS sends first, for this name. */
async function recordedHello(servername: string): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connectTls({ port: (server.address() as AddressInfo).port, servername }).on('error', () => undefined)
  const [accepted] = (await once(server, 'connection')) as [Socket]
  const [hello] = (await once(accepted, 'data')) as [Buffer]
  accepted.destroy()
  socket.destroy()
  server.close()
  return hello
}

/** As browsers do (RFC 8701): an extension that nobody knows before all others, with a value. */
function withGrease(hello: Buffer): Buffer {
  const grease = Buffer.from([0x1a, 0x1a, 0, 1, 0])
  const sessionIdAt = 5 + 4 + 2 + 32
  const ciphersAt = sessionIdAt + 1 + hello.readUInt8(sessionIdAt)
  const compressionAt = ciphersAt + 2 + hello.readUInt16BE(ciphersAt)
  const extensionsAt = compressionAt + 1 + hello.readUInt8(compressionAt)
  const greased = Buffer.concat([hello.subarray(0, extensionsAt + 2), grease, hello.subarray(extensionsAt + 2)])
  greased.writeUInt16BE(hello.readUInt16BE(extensionsAt) + grease.length, extensionsAt)
  greased.writeUInt16BE(hello.readUInt16BE(3) + grease.length, 3)
  greased.writeUIntBE(hello.readUIntBE(6, 3) + grease.length, 6, 3)
  return greased
}

describe('a ClientHello', () => {
  it.each([
    ['in segments of one byte', (hello: Buffer, socket: Socket) => inSegments(hello, socket)],
    ['in records of one byte', async (hello: Buffer, socket: Socket) => void socket.write(inRecords(hello, 1))],
    [
      'in records of nine bytes and segments of one',
      (hello: Buffer, socket: Socket) => inSegments(inRecords(hello, 9), socket),
    ],
  ])('%s leads to the program of its name', async (_how, send) => {
    expect(await answerOf(send)).toBe('inside for tls.test')
  })

  it('with GREASE leads to the program of its name, byte for byte', async () => {
    const hello = withGrease(await recordedHello('tls.test'))
    const visitor = await connected()
    const streamsBefore = edge.streams.length
    visitor.write(hello)
    // The program's ServerHello: it has understood what came.
    const [answer] = (await once(visitor, 'data')) as [Buffer]
    expect(answer.readUInt8(0)).toBe(22)
    expect(edge.streams).toHaveLength(streamsBefore + 1)
    visitor.destroy()
  })

  it.each([
    ['without a name', ''],
    ['with the name of somebody whose TLS ends here', 'app.test'],
    ['with a name that nobody has', 'nobody.test'],
  ])('%s never leads to a program that ends TLS itself', async (_what, servername) => {
    const streamsBefore = edge.streams.length
    using visitor = await RawVisitor.connectTls(edge.tlsPort, servername)
    visitor.send('GET / HTTP/1.1\r\nHost: tls.test\r\nConnection: close\r\n\r\n')
    expect(await visitor.closed()).toMatch(/^HTTP\/1.1 (404|421)/)
    expect(edge.streams).toHaveLength(streamsBefore)
  })

  it('that never ends is cut in time, however it drips', async () => {
    const half = (await recordedHello('tls.test')).subarray(0, 100)
    const oneByte = Buffer.from([22, 3, 1, 0, 1, 0])
    const endless = Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x27, 0x10])
    const streamsBefore = edge.streams.length
    const lifetimes = [Buffer.alloc(0), half, endless].map(async (said) => {
      const socket = await connected()
      const from = performance.now()
      socket.write(said)
      const drip = said === endless && setInterval(() => socket.write(oneByte), handshakeMs / 8)
      await new Promise((resolve) => socket.resume().once('end', resolve).once('close', resolve))
      socket.destroy()
      if (drip) clearInterval(drip)
      return performance.now() - from
    })
    for (const lifetimeMs of await Promise.all(lifetimes)) expect(lifetimeMs).toBeLessThan(handshakeMs * 5)
    expect(edge.streams).toHaveLength(streamsBefore)
  })

  it('behind a trusted proxy tells the agent the address of the header, in whatever pieces both come', async () => {
    const upstreamPort = (program.address() as AddressInfo).port
    await using trusting = await startTestEdge({ upstreamPort, trustedProxies: ['127.0.0.0/8'] })
    const header = proxyHeaderV2(0x21, 0x11, tcp4('192.0.2.7', 4000))
    const whole = Buffer.concat([header, await recordedHello('tls.test')])
    for (const pieces of [[whole], Array.from(whole, (byte) => Buffer.of(byte))]) {
      const visitor = await connected(trusting.tlsPort)
      for (const piece of pieces) visitor.write(piece)
      // The program's ServerHello: it got the ClientHello, and nothing before it.
      expect(((await once(visitor, 'data')) as [Buffer])[0].readUInt8(0)).toBe(22)
      visitor.destroy()
    }
    expect(trusting.streams.map((stream) => stream.header.visitorAddress)).toEqual(['192.0.2.7:4000', '192.0.2.7:4000'])
  })

  it('of somebody who is gone at once leaves nothing behind', async () => {
    const hello = await recordedHello('tls.test')
    for (const said of [Buffer.alloc(0), hello.subarray(0, 40), hello])
      for (let i = 0; i < 30; i += 1) {
        const socket = await connected()
        socket.write(said)
        socket.resetAndDestroy()
      }
    await expect.poll(async () => /^edge_raw_connections (\d+)$/m.exec(await edge.registry.metrics())?.[1]).toBe('0')
    expect(await answerOf(async (first, socket) => void socket.write(first))).toBe('inside for tls.test')
  })
})
