import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { startHttpUpstream } from '@tunnel/testkit'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readProxyHeader } from '../../src/edge/proxy-protocol/proxy-header.ts'
import { proxyHeaderV2, tcp4, tcp6 } from './proxy-headers.ts'
import { RawVisitor } from './raw-visitor.ts'
import { startTestEdge } from './running-edge.ts'

const request = 'GET /request HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\nX-Forwarded-For: 9.9.9.9\r\n\r\n'
const v4 = proxyHeaderV2(0x21, 0x11, tcp4('192.0.2.7', 4000))

let upstream: Awaited<ReturnType<typeof startHttpUpstream>>
let trusting: Awaited<ReturnType<typeof startTestEdge>>
let distrusting: Awaited<ReturnType<typeof startTestEdge>>
beforeAll(async () => {
  upstream = await startHttpUpstream()
  const { port: upstreamPort } = upstream
  const limits = { proxyHeaderMs: 150 }
  trusting = await startTestEdge({ upstreamPort, trustedProxies: ['127.0.0.0/8'], limits })
  distrusting = await startTestEdge({ upstreamPort, trustedProxies: ['192.0.2.0/24'], limits })
})
afterAll(async () => {
  await trusting[Symbol.asyncDispose]()
  await distrusting[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

async function answerTo(port: number, ...pieces: readonly (Buffer | string)[]): Promise<string> {
  using visitor = await RawVisitor.connect(port)
  for (const piece of pieces) visitor.socket.write(piece)
  return await visitor.closed()
}

function forwardedFor(answer: string): string | undefined {
  return /"x-forwarded-for":"([^"]*)"/.exec(answer)?.[1]
}

describe('a trusted proxy', () => {
  it.each([
    ['version 1, IPv4', 'PROXY TCP4 192.0.2.7 198.51.100.1 4000 443\r\n', '192.0.2.7'],
    ['version 1, IPv6', 'PROXY TCP6 2001:DB8:0::7 2001:db8::1 4000 443\r\n', '2001:db8::7'],
    ['version 1, IPv4-mapped', 'PROXY TCP6 ::ffff:192.0.2.7 ::ffff:198.51.100.1 4000 443\r\n', '192.0.2.7'],
    ['version 1, with a zone id', 'PROXY TCP6 fe80::7%eth0 fe80::1 4000 443\r\n', 'fe80::7'],
    ['version 1, unknown', 'PROXY UNKNOWN\r\n', '127.0.0.1'],
    ['version 1, unknown with addresses', 'PROXY UNKNOWN ::1 ::1 1 1\r\n', '127.0.0.1'],
    ['version 2, IPv4', v4, '192.0.2.7'],
    ['version 2, IPv6', proxyHeaderV2(0x21, 0x21, tcp6('2001:db8::7', 4000)), '2001:db8::7'],
    ['version 2, IPv4-mapped', proxyHeaderV2(0x21, 0x21, tcp6('::ffff:192.0.2.7', 4000)), '192.0.2.7'],
    ['version 2, LOCAL', proxyHeaderV2(0x20, 0x00), '127.0.0.1'],
    ['version 2, LOCAL with addresses', proxyHeaderV2(0x20, 0x11, tcp4('192.0.2.7', 4000)), '127.0.0.1'],
    ['version 2, unspecified', proxyHeaderV2(0x21, 0x00), '127.0.0.1'],
    ['version 2, with more fields', proxyHeaderV2(0x21, 0x11, tcp4('192.0.2.7', 1), Buffer.alloc(300)), '192.0.2.7'],
  ])('is believed: %s', async (_case, header, address) => {
    expect(forwardedFor(await answerTo(trusting.port, header, request))).toBe(`9.9.9.9, ${address}`)
  })

  it.each([
    ['nothing at all', ''],
    ['no header', request],
    ['a header with a wrong address', `PROXY TCP4 192.0.2.777 198.51.100.1 4000 443\r\n${request}`],
    ['a header with an address of the other family', `PROXY TCP4 2001:db8::1 198.51.100.1 4000 443\r\n${request}`],
    ['a header with a wrong port', `PROXY TCP4 192.0.2.7 198.51.100.1 65536 443\r\n${request}`],
    ['a header without ports', `PROXY TCP4 192.0.2.7 198.51.100.1\r\n${request}`],
    ['a line that does not end', `PROXY TCP4 ${'1'.repeat(200)}`],
    ['half a line', 'PROXY TCP4 192.0.2.7'],
    ['half of version 2', v4.subarray(0, 20)],
    ['version 2 without room for its addresses', proxyHeaderV2(0x21, 0x21, tcp4('192.0.2.7', 4000))],
    ['a datagram', proxyHeaderV2(0x21, 0x12, tcp4('192.0.2.7', 4000))],
    ['version 3', proxyHeaderV2(0x31, 0x11, tcp4('192.0.2.7', 4000))],
    ['an unknown command', proxyHeaderV2(0x22, 0x11, tcp4('192.0.2.7', 4000))],
    ['fields of 5,000 bytes', proxyHeaderV2(0x21, 0x11, tcp4('192.0.2.7', 4000), Buffer.alloc(5_000))],
  ])('that sends %s gets no answer', async (_case, bytes) => {
    expect(await answerTo(trusting.port, bytes)).toBe('')
  })

  it('is counted when its header is refused', async () => {
    const metrics = await trusting.registry.metrics()
    expect(Number(/edge_proxy_headers_refused_total (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(10)
  })

  it('may send its header in pieces of one byte, and the request with it', async () => {
    using visitor = await RawVisitor.connect(trusting.port)
    for (const byte of Buffer.concat([v4, Buffer.from(request)])) visitor.socket.write(Buffer.from([byte]))
    expect(forwardedFor(await visitor.closed())).toBe('9.9.9.9, 192.0.2.7')
    expect(forwardedFor(await answerTo(trusting.port, Buffer.concat([v4, Buffer.from(request)])))).toContain(
      '192.0.2.7',
    )
  })

  it('is believed over HTTPS too, for every request of the connection', async () => {
    const socket = await overTls(trusting.tlsPort, v4)
    using visitor = new RawVisitor(socket)
    const keptAlive = request.replace('Connection: close\r\n', '')
    visitor.send(keptAlive)
    await visitor.until((received) => received.includes('x-forwarded-for'))
    visitor.send(request)
    const answers = await visitor.closed()
    expect(answers.match(/"x-forwarded-for":"9.9.9.9, 192.0.2.7"/g)).toHaveLength(2)
  })
})

it('is believed over HTTP/2', async () => {
  const socket = await overTls(trusting.tlsPort, v4, ['h2'])
  const session = connectHttp2('https://app.test', { createConnection: () => socket })
  const stream = session.request({ ':path': '/request', 'x-forwarded-for': '9.9.9.9' })
  expect(forwardedFor(await text(stream))).toBe('9.9.9.9, 192.0.2.7')
  session.destroy()
})

describe('anybody else', () => {
  it('is never believed: a header of version 1 or 2 is a bad request, over HTTP and HTTPS', async () => {
    for (const header of ['PROXY TCP4 192.0.2.7 198.51.100.1 4000 443\r\n', v4]) {
      expect(await answerTo(distrusting.port, header, request)).toMatch(/^HTTP\/1.1 400/)
      await expect(overTls(distrusting.tlsPort, header)).rejects.toThrow(/disconnected|ECONNRESET|closed/)
    }
  })

  it('is seen as who it is, whatever its X-Forwarded-For says', async () => {
    expect(forwardedFor(await answerTo(distrusting.port, request))).toBe('9.9.9.9, 127.0.0.1')
  })
})

it('never fails on any bytes, and needs no more than it has read', () => {
  const headers = fc.constantFrom(
    v4,
    Buffer.from('PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n'),
    Buffer.from('PROXY UNKNOWN\r\n'),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), headers, fc.nat(40), (noise, header, cut) => {
      readProxyHeader(Buffer.from(noise))
      const whole = readProxyHeader(Buffer.concat([header, Buffer.from(noise)]))
      expect(whole).toMatchObject({ kind: 'known', length: header.length })
      const part = readProxyHeader(header.subarray(0, Math.min(cut, header.length - 1)))
      expect(part).toEqual({ kind: 'incomplete' })
    }),
  )
})

/** TLS that begins after a header; both leave in one piece. */
async function overTls(port: number, header: Buffer | string, ALPNProtocols = ['http/1.1']): Promise<TLSSocket> {
  const below = connect({ port, host: '127.0.0.1' })
  await once(below, 'connect')
  let isFirst = true
  const carrier = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      below.write(isFirst ? Buffer.concat([Buffer.from(header as string, 'latin1'), chunk]) : chunk, done)
      isFirst = false
    },
    final: (done) => void below.end(done),
  })
  below.on('data', (chunk) => carrier.push(chunk)).on('end', () => carrier.push(null))
  below.on('close', () => carrier.destroy())
  const socket = connectTls({ socket: carrier, servername: 'app.test', rejectUnauthorized: false, ALPNProtocols })
  await once(socket, 'secureConnect')
  return socket
}
