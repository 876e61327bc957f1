import { once } from 'node:events'
import { connect } from 'node:net'
import { startHttpUpstream } from '@tunnel/testkit'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startRawUpstream } from './raw-upstream.ts'
import { RawVisitor } from './raw-visitor.ts'
import { startTestEdge } from './running-edge.ts'

const upgradeRequest =
  'GET /chat HTTP/1.1\r\nHost: app.test\r\nConnection: keep-alive, Upgrade\r\nUpgrade: Echo/1\r\n\r\n'
const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo/1\r\n\r\n'

describe('upgrades through the edge', () => {
  it.each(['http', 'https'])(
    'a WebSocket over %s carries messages both ways and closes with its code',
    async (scheme) => {
      await using upstream = await startHttpUpstream()
      await using edge = await startTestEdge({ upstreamPort: upstream.port })
      const port = scheme === 'http' ? edge.port : edge.tlsPort
      const socket = new WebSocket(`${scheme.replace('http', 'ws')}://app.test:${port}/`, {
        rejectUnauthorized: false,
        lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }] as never, 4),
      })
      await once(socket, 'open')
      for (const size of [0, 1, 125, 126, 65_536, 1_000_000]) {
        const message = Buffer.alloc(size, 'x')
        socket.send(message)
        const [echo] = (await once(socket, 'message')) as [Buffer]
        expect(echo.equals(message)).toBe(true)
      }
      socket.close(4001, 'done')
      expect((await once(socket, 'close'))[0]).toBe(4001)
    },
  )

  it('bytes pass unchanged, also those that come early, and each side can end on its own', async () => {
    await using upstream = await startRawUpstream((text) =>
      text.includes('\r\n\r\n') ? `${switching}early` : `<${text}>`,
    )
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(`${upgradeRequest}\0first`)
    expect(await visitor.until((text) => text.endsWith('first>'))).toBe(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo/1\r\n\r\nearly<\0first>',
    )
    expect(upstream.received()).toMatch(
      /^GET \/chat HTTP\/1.1\r\nHost: app.test\r\nX-Forwarded[^]*\r\nConnection: Upgrade\r\nUpgrade: Echo\/1\r\n\r\n/,
    )
    visitor.socket.end('last')
    expect(await visitor.closed()).toMatch(/<last>$/)
  })

  it('an upstream that does not upgrade answers as usual, and the connection ends', async () => {
    await using upstream = await startRawUpstream(
      () => 'HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n',
    )
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(upgradeRequest)
    expect(await visitor.closed()).toMatch(/^HTTP\/1.1 403 Forbidden\r\n[^]*Connection: close[^]*2\r\nno\r\n0\r\n\r\n$/)
  })

  it('101 for another protocol than asked for is 502', async () => {
    await using upstream = await startRawUpstream(() => switching.replace('echo/1', 'other'))
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(upgradeRequest)
    expect(await visitor.closed()).toMatch(/^HTTP\/1.1 502[^]*ERR_SERVICE_3004/)
  })

  it('a request for an upgrade of an unknown name gets its page', async () => {
    await using edge = await startTestEdge()
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(upgradeRequest.replace('app.test', 'other.test'))
    expect(await visitor.closed()).toMatch(/^HTTP\/1.1 404[^]*ERR_SERVICE_3200/)
  })

  it('when one side breaks, the other is cut too', async () => {
    await using upstream = await startRawUpstream((text) => (text.includes('\r\n\r\n') ? switching : undefined))
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(upgradeRequest)
    await visitor.until((text) => text.endsWith('\r\n\r\n'))
    edge.streams[0]?.loseSession()
    await visitor.closed()
    using second = await RawVisitor.connect(edge.port)
    second.send(upgradeRequest)
    await second.until((text) => text.endsWith('\r\n\r\n'))
    second.socket.resetAndDestroy()
    await edge.streams[1]?.closed
    expect(edge.streams.every((stream) => stream.isClosed)).toBe(true)
  })
})

describe('names of the service itself', () => {
  it('get requests and upgrades directly, over both listeners and HTTP/2', async () => {
    const own = {
      onRequest: (_request: unknown, response: { end(text: string): unknown }) => void response.end('the API'),
      onUpgrade: (_request: unknown, socket: { end(text: string): unknown }) =>
        void socket.end('HTTP/1.1 101 S\r\n\r\nup'),
    }
    await using edge = await startTestEdge({ ownHosts: new Map([['api.app.test', own]]) })
    const request = 'GET / HTTP/1.1\r\nHost: api.app.test\r\nConnection: close\r\n\r\n'
    for (const visitor of [
      await RawVisitor.connect(edge.port),
      await RawVisitor.connectTls(edge.tlsPort, 'api.app.test'),
    ]) {
      visitor.send(request)
      expect(await visitor.closed()).toMatch(/^HTTP\/1.1 200[^]*the API/)
    }
    using upgrading = await RawVisitor.connect(edge.port)
    upgrading.send(upgradeRequest.replace('app.test', 'API.app.test'))
    expect(await upgrading.closed()).toBe('HTTP/1.1 101 S\r\n\r\nup')
    const { connect: connectHttp2 } = await import('node:http2')
    const session = connectHttp2(`https://127.0.0.1:${edge.tlsPort}`, {
      rejectUnauthorized: false,
      servername: 'api.app.test',
    })
    const stream = session.request({ ':authority': 'api.app.test' })
    expect((await stream.setEncoding('utf8').toArray()).join('')).toBe('the API')
    session.close()
  })
})

describe('a name of the service whose handler throws', () => {
  it('costs its own visitor the connection, and nobody else anything', async () => {
    const faulty = {
      onRequest: () => {
        throw new Error('a fault of ours')
      },
    }
    await using edge = await startTestEdge({ ownHosts: new Map([['api.app.test', faulty]]) })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('GET / HTTP/1.1\r\nHost: api.app.test\r\n\r\n')
    expect(await visitor.closed()).toBe('')
    using other = await RawVisitor.connect(edge.port)
    other.send('GET / HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n')
    expect(await other.closed()).toMatch(/^HTTP\/1.1 404/)
  })
})

describe('draining', () => {
  it('lets running requests finish, ends kept connections, and takes no new ones', async () => {
    await using upstream = await startRawUpstream(() => undefined)
    const edge = await startTestEdge({ upstreamPort: upstream.port, limits: { drainMs: 5_000 } })
    using running = await RawVisitor.connect(edge.port)
    using idle = await RawVisitor.connect(edge.port)
    running.send('GET /slow HTTP/1.1\r\nHost: app.test\r\n\r\n')
    idle.send('GET / HTTP/1.1\r\nHost: other.test\r\n\r\n')
    await idle.until((text) => text.endsWith('}\n'))
    await upstream.until((text) => text.includes('/slow'))
    const drained = edge[Symbol.asyncDispose]()
    await idle.closed()
    upstream.sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone')
    expect(await running.closed()).toMatch(/^HTTP\/1.1 200[^]*Connection: close[^]*done$/)
    await drained
    const refused = connect({ port: edge.port, host: '127.0.0.1' })
    expect(((await once(refused, 'error')) as [NodeJS.ErrnoException])[0].code).toBe('ECONNREFUSED')
  })

  it('cuts what has not finished within the limit, and refuses new requests meanwhile', async () => {
    await using upstream = await startRawUpstream(() => undefined)
    const edge = await startTestEdge({ upstreamPort: upstream.port, limits: { drainMs: 100 } })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('GET /1 HTTP/1.1\r\nHost: app.test\r\n\r\n')
    await upstream.until((text) => text.includes('/1'))
    await edge[Symbol.asyncDispose]()
    expect(await visitor.closed()).toBe('')
    await edge.streams[0]?.closed
  })
})
