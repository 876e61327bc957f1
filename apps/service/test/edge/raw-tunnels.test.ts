import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EdgeTunnel } from '../../src/edge/edge-tunnel.ts'
import { Registry } from 'prom-client'
import { RawMetrics } from '../../src/edge/raw/raw-metrics.ts'
import { TcpPorts } from '../../src/edge/raw/tcp-ports.ts'
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts'
import { RawVisitor } from './raw-visitor.ts'
import { startTestEdge } from './running-edge.ts'
import { TcpStream } from './tcp-stream.ts'
import { testCertificates } from './test-certificates.ts'

/** Two free ports side by side are enough to see how ports are given out. */
async function freePorts(): Promise<{ first: number; last: number }> {
  for (;;) {
    const first = await listenOnce(0)
    if (first !== undefined && (await listenOnce(first + 1)) !== undefined) return { first, last: first + 1 }
  }
}

/** The port that it was possible to listen on; undefined: it is taken. */
async function listenOnce(port: number): Promise<number | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  const address = server.address() as AddressInfo | null
  if (isFree) await new Promise((resolve) => server.close(resolve))
  return address?.port
}

async function tcpPorts() {
  const range = await freePorts()
  const ports = new TcpPorts({
    host: '127.0.0.1',
    ...range,
    connectionsMaxCount: 10,
    observers: [],
    proxied: null,
    restrictions: { find: () => null },
    region: 'local',
    rawMetrics: new RawMetrics(new Registry()),
    edges: { atPort: () => undefined, isReserved: () => false },
  })
  onTestFinished(() => ports[Symbol.dispose]())
  return { ports, ...range }
}

function tunnelTo(upstream: RawUpstream, streams: TcpStream[] = []): EdgeTunnel {
  return {
    id: 'tn_1',
    accountId: 'ac_1',
    url: 'tcp://tcp.test:1',
    forwardsTo: `127.0.0.1:${upstream.port}`,
    protocol: 'tcp',
    policy: null,
    upstreamProtocol: 'http1',
    openStream: (header) => {
      const stream = new TcpStream(upstream.port, header)
      streams.push(stream)
      return stream
    },
  }
}

describe('tcp tunnels', () => {
  it('carry bytes both ways, and each side can end on its own', async () => {
    await using upstream = await startRawUpstream((text) => `<${text}>`)
    const { ports } = await tcpPorts()
    const { port } = await ports.claim(0, () => tunnelTo(upstream))
    using visitor = await RawVisitor.connect(port)
    visitor.send('one')
    await visitor.until((text) => text === '<one>')
    visitor.socket.end('two')
    expect(await visitor.closed()).toBe('<one><two>')
  })

  it('pass a large transfer on whole, also when the visitor has ended before', async () => {
    await using upstream = await startRawUpstream(() => undefined)
    const { ports } = await tcpPorts()
    const { port } = await ports.claim(0, () => tunnelTo(upstream))
    const socket = connect({ port, host: '127.0.0.1' })
    socket.end('x'.repeat(5_000_000))
    expect((await upstream.until((text) => text.length === 5_000_000)).length).toBe(5_000_000)
    socket.destroy()
  })

  it('pass resets on, both ways', async () => {
    await using upstream = await startRawUpstream()
    const { ports } = await tcpPorts()
    const streams: TcpStream[] = []
    const { port } = await ports.claim(0, () => tunnelTo(upstream, streams))
    const first = connect({ port, host: '127.0.0.1' })
    await once(first, 'connect')
    first.write('a')
    await upstream.until((text) => text === 'a')
    streams[0]?.loseSession()
    expect(((await once(first, 'error')) as [NodeJS.ErrnoException])[0].code).toBe('ECONNRESET')
    const second = connect({ port, host: '127.0.0.1' })
    await once(second, 'connect')
    second.write('b')
    await upstream.until((text) => text === 'ab')
    second.resetAndDestroy()
    await streams[1]?.closed
  })

  it('keep their port for the same wish, take the next when it is taken, and none when all are', async () => {
    await using upstream = await startRawUpstream()
    const { ports, first, last } = await tcpPorts()
    const wish = 1_000_000 - (1_000_000 % 2)
    const one = await ports.claim(wish, () => tunnelTo(upstream))
    const two = await ports.claim(wish, () => tunnelTo(upstream))
    expect([one.port, two.port]).toEqual([first, last])
    await expect(ports.claim(wish, () => undefined)).rejects.toMatchObject({ reason: 'tcp_ports_taken' })
    one.release()
    expect((await ports.claim(wish, () => undefined)).port).toBe(first)
  })

  it('a released port answers nobody, and its connections are cut', async () => {
    await using upstream = await startRawUpstream()
    const { ports } = await tcpPorts()
    const lease = await ports.claim(0, () => tunnelTo(upstream))
    using visitor = await RawVisitor.connect(lease.port)
    visitor.send('a')
    await upstream.until((text) => text === 'a')
    lease.release()
    await visitor.closed()
    const refused = connect({ port: lease.port, host: '127.0.0.1' })
    expect(((await once(refused, 'error')) as [NodeJS.ErrnoException])[0].code).toBe('ECONNREFUSED')
  })
})

describe('tls tunnels', () => {
  it('reach the upstream with its own certificate; other names still end here', async () => {
    const certificates = await testCertificates()
    const server = createTlsServer(certificates.fallback(), (socket) =>
      socket.end(`for ${String(socket.servername)}`),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using edge = await startTestEdge({ upstreamPort: (server.address() as AddressInfo).port })
    using visitor = await RawVisitor.connectTls(edge.tlsPort, 'TLS.test')
    expect(await visitor.closed()).toBe('for TLS.test')
    using other = await RawVisitor.connectTls(edge.tlsPort, 'app.test')
    other.send('GET / HTTP/1.1\r\nHost: tls.test\r\nConnection: close\r\n\r\n')
    expect(await other.closed()).toMatch(/^HTTP\/1.1 421/)
    server.close()
  })

  it('are found by the real openssl', async () => {
    const certificates = await testCertificates()
    const server = createTlsServer(certificates.fallback(), (socket) => socket.end('upstream')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using edge = await startTestEdge({ upstreamPort: (server.address() as AddressInfo).port })
    const args = ['s_client', '-connect', `127.0.0.1:${edge.tlsPort}`, '-servername', 'tls.test', '-quiet']
    const { stdout } = await promisify(execFile)('openssl', args, { timeout: 10_000 }).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('upstream')
    server.close()
  })

  it('have nothing to say over HTTP', async () => {
    await using edge = await startTestEdge()
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('GET / HTTP/1.1\r\nHost: tls.test\r\nConnection: close\r\n\r\n')
    expect(await visitor.closed()).toMatch(/^HTTP\/1.1 404/)
  })
})
