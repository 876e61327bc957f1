import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { freePort } from '@tunnel/testkit'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { EdgeTunnel } from '../../src/edge/edge-tunnel.ts'
import { ProxiedConnections } from '../../src/edge/proxy-protocol/proxied-connections.ts'
import { RawMetrics } from '../../src/edge/raw/raw-metrics.ts'
import type { RawEdge } from '../../src/edge/raw/raw-edge.ts'
import { TcpPorts } from '../../src/edge/raw/tcp-ports.ts'
import { proxyHeaderV2, tcp4, tcp6 } from './proxy-headers.ts'
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts'
import { TcpStream } from './tcp-stream.ts'

const connectionsMaxCount = 5
const headerWithinMs = 150
const header = proxyHeaderV2(0x21, 0x11, tcp4('192.0.2.7', 4000))

/** A port behind a trusted proxy, for everybody but 192.0.2.66. */
let port: number
let ports: TcpPorts
let upstream: RawUpstream
const registry = new Registry()
const streams: TcpStream[] = []
const visitors: Socket[] = []
beforeAll(async () => {
  upstream = await startRawUpstream((said) => `<${said}>`)
  port = await freePort()
  const metrics = registry
  ports = new TcpPorts({
    host: '127.0.0.1',
    first: port,
    last: port,
    connectionsMaxCount,
    observers: [],
    proxied: ProxiedConnections.open({ trusted: ['127.0.0.1'], headerWithinMs, metrics }),
    restrictions: { find: () => null },
    region: 'local',
    rawMetrics: new RawMetrics(registry),
    edges: { atPort: () => edge, isReserved: () => true },
  })
  await ports.follow(port)
})
afterEach(async () => {
  for (const visitor of visitors.splice(0)) visitor.destroy()
  streams.length = 0
  await vi.waitUntil(async () => (await metric('edge_raw_connections')) === 0)
})
afterAll(async () => {
  ports[Symbol.dispose]()
  await upstream[Symbol.asyncDispose]()
})

const tunnel: EdgeTunnel = {
  id: 'tn_1',
  accountId: 'ac_1',
  url: '',
  forwardsTo: '',
  protocol: 'tcp',
  policy: null,
  upstreamProtocol: 'http1',
  openStream: (stream) => {
    streams.push(new TcpStream(upstream.port, stream))
    return streams.at(-1) as TcpStream
  },
}
const edge: RawEdge = {
  id: 'edgtcp_1',
  accountId: 'ac_1',
  protocol: 'tcp',
  termination: null,
  addressFilter: { isAllowed: (ip) => ip !== '192.0.2.66' },
  policies: [],
  backend: { choose: () => ({ kind: 'tunnel', tunnel, use: { begin: () => () => undefined } }) },
  keep: () => () => undefined,
}

async function metric(name: string): Promise<number> {
  const line = new RegExp(`^${name}(?:\\{outcome="refused"\\})? (\\d+)$`, 'm').exec(await registry.metrics())
  return Number(line?.[1] ?? 0)
}

async function visit(): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true }).on('error', () => undefined)
  visitors.push(socket)
  await once(socket, 'connect')
  return socket
}

/** What comes back to the end, or the code of the failure. */
async function answerTo(...pieces: readonly (Buffer | string)[]): Promise<string | undefined> {
  const socket = await visit()
  for (const piece of pieces) socket.write(piece)
  socket.end()
  return text(socket).catch((error: NodeJS.ErrnoException) => error.code)
}

it.each([
  ['in one piece with what follows', [Buffer.concat([header, Buffer.from('hi')])], '192.0.2.7:4000'],
  ['in pieces of one byte', [...Array.from(header, (byte) => Buffer.of(byte)), 'hi'], '192.0.2.7:4000'],
  ['of version 1', ['PROXY TCP4 192.0.2.7 198.51.100.1 4000 443\r\nhi'], '192.0.2.7:4000'],
  ['of IPv6', [proxyHeaderV2(0x21, 0x21, tcp6('2001:db8::7', 4000)), 'hi'], '[2001:db8::7]:4000'],
  [
    'with more fields',
    [proxyHeaderV2(0x21, 0x11, tcp4('192.0.2.7', 4000), Buffer.alloc(900, 4)), 'hi'],
    '192.0.2.7:4000',
  ],
])('a header %s tells the agent who is there, and nothing of it gets to the program', async (_how, pieces, address) => {
  expect(await answerTo(...pieces)).toBe('<hi>')
  expect(streams.map((stream) => stream.header.visitorAddress)).toEqual([address])
})

it.each([
  ['LOCAL', proxyHeaderV2(0x20, 0x00)],
  ['LOCAL with addresses', proxyHeaderV2(0x20, 0x11, tcp4('192.0.2.66', 4000))],
  ['unspecified', proxyHeaderV2(0x21, 0x00)],
  ['UNKNOWN', 'PROXY UNKNOWN\r\n'],
])('a header that is %s stands for the proxy itself', async (_what, said) => {
  expect(await answerTo(said, 'hi')).toBe('<hi>')
  expect(streams[0]?.header.visitorAddress).toMatch(/^127\.0\.0\.1:\d+$/)
})

it('restrictions judge the address of the header', async () => {
  const refusedBefore = await metric('edge_raw_connections_total')
  expect(await answerTo(proxyHeaderV2(0x21, 0x11, tcp4('192.0.2.66', 4000)), 'hi')).toBe('ECONNRESET')
  expect(await answerTo(proxyHeaderV2(0x21, 0x21, tcp6('::ffff:192.0.2.66', 4000)), 'hi')).toBe('ECONNRESET')
  expect(await metric('edge_raw_connections_total')).toBe(refusedBefore + 2)
  expect(streams).toEqual([])
})

it.each([
  ['that never comes', ''],
  ['that never ends', header.subarray(0, 20)],
  ['that promises more than comes', proxyHeaderV2(0x21, 0x11, tcp4('192.0.2.7', 4000)).fill(0xf, 14, 16)],
  ['that is no header', 'SSH-2.0-client\r\n'],
])('a header %s opens nothing, and is counted', async (_what, said) => {
  const refusedBefore = await metric('edge_proxy_headers_refused_total')
  const socket = await visit()
  socket.write(said)
  const from = performance.now()
  await new Promise((resolve) => socket.resume().once('end', resolve).once('close', resolve))
  expect(performance.now() - from).toBeLessThan(headerWithinMs * 10)
  expect(await metric('edge_proxy_headers_refused_total')).toBe(refusedBefore + 1)
  expect(streams).toEqual([])
})

it('visitors who are gone at once, at any point, leave nothing behind', async () => {
  for (const said of ['', header.subarray(0, 9), header, Buffer.concat([header, Buffer.from('hi')])])
    for (let round = 0; round < 20; round += 1) {
      const socket = await visit()
      socket.write(said)
      socket.resetAndDestroy()
    }
  await expect.poll(() => answerTo(header, 'hi')).toBe('<hi>')
})

it('a port has its bound of connections: more are closed at once, and there is room when one has gone', async () => {
  const open = await Promise.all(Array.from({ length: connectionsMaxCount }, () => visit()))
  for (const socket of open) socket.write(Buffer.concat([header, Buffer.from('hi')]))
  await Promise.all(open.map((socket) => once(socket, 'data')))
  const more = await visit()
  await new Promise((resolve) => more.resume().once('end', resolve).once('close', resolve))
  expect(streams).toHaveLength(connectionsMaxCount)
  open[0]?.destroy()
  await expect.poll(() => answerTo(header, 'hi')).toBe('<hi>')
})
