import { once } from 'node:events'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createServer,
  type ServerHttp2Stream,
} from 'node:http2'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { endHeaders, endStream, frame, frameTypes, headerBlock, RawHttp2Visitor } from './raw-http2.ts'
import { startRawUpstream } from './raw-upstream.ts'
import { RawVisitor } from './raw-visitor.ts'
import { startTestEdge } from './running-edge.ts'

type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void

/** A program that speaks HTTP/2 in the clear. */
async function startHttp2Upstream(answer: Answer, settings = {}) {
  const server = createServer({ settings })
  const sessions: unknown[] = []
  const goAways: (() => void)[] = []
  server.on('session', (session) => {
    sessions.push(session)
    goAways.push(() => session.close())
    session.on('error', () => undefined)
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    answer(stream, headers)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    sessions,
    sayGoodbye: () => goAways.forEach((goAway) => goAway()),
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

const startEdge = (upstreamPort: number, limits = {}) =>
  startTestEdge({ upstreamPort, upstreamProtocol: 'http2', limits })

function visit(tlsPort: number): ClientHttp2Session & Disposable {
  const session = connect(`https://127.0.0.1:${tlsPort}`, { servername: 'app.test', rejectUnauthorized: false })
  session.on('error', () => undefined)
  return Object.assign(session, { [Symbol.dispose]: () => session.destroy() })
}

const call = (session: ClientHttp2Session, more: Record<string, string> = {}, isGet = true): ClientHttp2Stream =>
  session.request({ ':authority': 'app.test', ':method': isGet ? 'GET' : 'POST', ...more }, { endStream: isGet })

async function reply(stream: ClientHttp2Stream) {
  const trailers = once(stream, 'trailers').then(([fields]) => fields as Record<string, unknown>)
  trailers.catch(() => undefined)
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
  return { status: headers[':status'], headers, body: String(await buffer(stream)), trailers }
}

async function get(port: number, path = '/'): Promise<string> {
  using visitor = await RawVisitor.connect(port)
  visitor.send(`GET ${path} HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n`)
  await visitor.closed()
  return visitor.text
}

const settings = frame(frameTypes.settings, 0, 0)
const answerOf = (...frames: Buffer[]) => Buffer.concat([settings, ...frames])
const head = (fields: [string, string][], flags = endHeaders) =>
  frame(frameTypes.headers, flags, 1, headerBlock(fields))

/** Answers the first bytes of a connection with these, or hangs up when there are none. */
function answerHttp2(bytes: Buffer | string) {
  return (received: string, socket: Socket): undefined => {
    if (!received.startsWith('PRI * HTTP/2.0')) return
    if (bytes.length > 0) socket.write(bytes)
    else socket.end()
  }
}

describe('an upstream that speaks HTTP/2', () => {
  it('gets the request of a visitor over HTTP/1.1 as HTTP/2, and the visitor its reply', async () => {
    let seen: IncomingHttpHeaders = {}
    await using upstream = await startHttp2Upstream((stream, headers) => {
      seen = headers
      stream.respond({ ':status': 201, 'x-answer': 'yes' })
      stream.end('body')
    })
    await using edge = await startEdge(upstream.port)
    const text = await get(edge.port, '/a?b=c')
    expect(text).toMatch(/^HTTP\/1\.1 201 Created\r\n/)
    expect(text).toMatch(/x-answer: yes[^]*body/)
    expect(seen).toMatchObject({
      ':path': '/a?b=c',
      ':authority': 'app.test',
      ':scheme': 'http',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'app.test',
      'x-forwarded-proto': 'http',
    })
  })

  it('streams both ways at the same time, and carries trailers both ways', async () => {
    let requestTrailers: unknown
    await using upstream = await startHttp2Upstream((stream) => {
      stream.on('trailers', (trailers) => (requestTrailers = trailers['x-sum']))
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'transfer-length': '3' }))
      stream.pipe(stream)
    })
    await using edge = await startEdge(upstream.port)
    using session = visit(edge.tlsPort)
    const stream = session.request(
      { ':authority': 'app.test', ':method': 'POST', te: 'trailers' },
      { endStream: false, waitForTrailers: true },
    )
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '42' }))
    const trailers = once(stream, 'trailers')
    stream.write('one')
    expect(String((await once(stream, 'data'))[0])).toBe('one')
    stream.write('two')
    expect(String((await once(stream, 'data'))[0])).toBe('two')
    stream.end()
    expect((await trailers)[0]).toMatchObject({ 'grpc-status': '0' })
    expect(requestTrailers).toBe('42')
  })

  it('carries a body of 20 MB both ways through its windows', async () => {
    await using upstream = await startHttp2Upstream((stream) => {
      stream.respond({ ':status': 200 })
      stream.pipe(stream)
    })
    await using edge = await startEdge(upstream.port)
    using session = visit(edge.tlsPort)
    const stream = call(session, {}, false)
    const block = Buffer.alloc(1_000_000, 'abcdefg')
    const received = buffer(stream)
    for (let i = 0; i < 20; i++) if (!stream.write(block)) await once(stream, 'drain')
    stream.end()
    expect((await received).equals(Buffer.concat(Array<Buffer>(20).fill(block)))).toBe(true)
  })

  it('serves many requests on one connection, and as many connections as its own limit needs', async () => {
    const open: ServerHttp2Stream[] = []
    await using upstream = await startHttp2Upstream(
      (stream, headers) => {
        if (headers[':path'] === '/hold') open.push(stream)
        else stream.respond({ ':status': 200 }, { endStream: true })
      },
      { maxConcurrentStreams: 4 },
    )
    await using edge = await startEdge(upstream.port)
    using session = visit(edge.tlsPort)
    for (let i = 0; i < 5; i++) expect((await reply(call(session))).status).toBe(200)
    expect(upstream.sessions.length).toBe(1)
    for (let count = 1; count <= 10; count++) {
      call(session, { ':path': '/hold' })
      while (open.length < count) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(upstream.sessions.length).toBe(3)
  })

  it('is told when the visitor cancels; the connection stays', async () => {
    const { promise: cancelled, resolve } = Promise.withResolvers<number | undefined>()
    await using upstream = await startHttp2Upstream((stream, headers) => {
      if (headers[':path'] === '/') return stream.respond({ ':status': 200 }, { endStream: true })
      stream.on('close', () => resolve(stream.rstCode))
      stream.respond({ ':status': 200 })
      stream.write('first')
    })
    await using edge = await startEdge(upstream.port)
    using session = visit(edge.tlsPort)
    const stream = call(session, { ':path': '/long' })
    stream.on('error', () => undefined)
    await once(stream, 'data')
    stream.close(8)
    expect(await cancelled).toBe(8)
    expect((await reply(call(session))).status).toBe(200)
    expect(upstream.sessions.length).toBe(1)
  })

  it('may break off: the visitor never takes a part for the whole', async () => {
    const part = frame(frameTypes.data, 0, 1, Buffer.from('part'))
    const cancel = frame(frameTypes.reset, 0, 1, Buffer.from([0, 0, 0, 8]))
    await using upstream = await startRawUpstream(answerHttp2(answerOf(head([[':status', '200']]), part, cancel)))
    await using edge = await startEdge(upstream.port)
    using visitor = await RawHttp2Visitor.connect(edge.tlsPort)
    const fields = { ':method': 'GET', ':scheme': 'https', ':authority': 'app.test', ':path': '/' }
    visitor.send(frame(frameTypes.headers, endHeaders | endStream, 1, headerBlock(Object.entries(fields))))
    const frames = await visitor.untilAnswered(1)
    expect(frames.find(({ type }) => type === frameTypes.reset)?.payload).toEqual(Buffer.from([0, 0, 0, 8]))
    expect(frames.some(({ type, flags }) => type === frameTypes.data && (flags & endStream) !== 0)).toBe(false)
    await using other = await startEdge(upstream.port)
    const text = await get(other.port)
    expect(text).not.toMatch(/0\r\n\r\n$/)
  })

  it.each([
    ['CANCEL', 8, 8],
    ['ENHANCE_YOUR_CALM', 11, 11],
    ['INTERNAL_ERROR', 2, 2],
    ['PROTOCOL_ERROR, which the visitor did not make', 1, 2],
    ['FLOW_CONTROL_ERROR, which is about its connection', 3, 2],
    ['REFUSED_STREAM, which would say that nothing was done', 7, 2],
    ['HTTP_1_1_REQUIRED, which no other version would change', 13, 2],
  ])('may end its answer with %s: the visitor is told what concerns it', async (_name, code, told) => {
    const part = frame(frameTypes.data, 0, 1, Buffer.from('part'))
    const reset = frame(frameTypes.reset, 0, 1, Buffer.from([0, 0, 0, code]))
    await using upstream = await startRawUpstream(answerHttp2(answerOf(head([[':status', '200']]), part, reset)))
    await using edge = await startEdge(upstream.port)
    using session = visit(edge.tlsPort)
    const stream = call(session)
    stream.on('error', () => undefined)
    stream.resume()
    await new Promise((resolve) => stream.once('close', resolve))
    expect(stream.rstCode).toBe(told)
  })

  it('is given another connection when visitors have cancelled many requests; what runs on the old one finishes', async () => {
    const { promise: held, resolve } = Promise.withResolvers<ServerHttp2Stream>()
    await using upstream = await startHttp2Upstream((stream, headers) => {
      stream.respond({ ':status': 200 })
      if (headers[':path'] === '/held') resolve(stream)
      else stream.write('some')
    })
    await using edge = await startEdge(upstream.port, { http2CancelledMaxCount: 5 })
    using session = visit(edge.tlsPort)
    const old = reply(call(session, { ':path': '/held' }))
    const stream = await held
    for (let i = 0; i < 6; i++) {
      const cancelled = call(session)
      await once(cancelled, 'data')
      cancelled.close(8)
      await once(cancelled, 'close')
    }
    while (upstream.sessions.length < 2) {
      const further = call(session)
      await once(further, 'data')
      further.close(8)
    }
    expect(upstream.sessions.length).toBe(2)
    stream.end('old')
    expect((await old).body).toBe('old')
  })

  it('may send interim responses first; each reaches the visitor, over either protocol', async () => {
    await using upstream = await startHttp2Upstream((stream) => {
      stream.additionalHeaders({ ':status': 103, link: '</a.css>; rel=preload' })
      stream.respond({ ':status': 200 })
      stream.end('body')
    })
    await using edge = await startEdge(upstream.port)
    expect(await get(edge.port)).toMatch(/^HTTP\/1\.1 103 [^]*<\/a\.css>[^]*HTTP\/1\.1 200 [^]*body/)
    using session = visit(edge.tlsPort)
    const stream = call(session)
    const interim = once(stream, 'headers')
    expect(await reply(stream)).toMatchObject({ status: 200, body: 'body' })
    expect((await interim)[0]).toMatchObject({ ':status': 103, link: '</a.css>; rel=preload' })
  })

  it('takes an offered WebSocket for a plain request: no 101, and no bytes past the reply', async () => {
    await using upstream = await startHttp2Upstream((stream, headers) => {
      stream.respond({ ':status': 426, 'x-upgrade': String(headers['upgrade']) })
      stream.end()
    })
    await using edge = await startEdge(upstream.port)
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('GET / HTTP/1.1\r\nHost: app.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET /smuggled')
    await visitor.closed()
    expect(visitor.text).toMatch(/^HTTP\/1\.1 426 [^]*x-upgrade: undefined/)
    expect(visitor.text.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  it('may say GOAWAY: what is open finishes, what is new goes over another connection', async () => {
    const { promise: held, resolve } = Promise.withResolvers<ServerHttp2Stream>()
    await using upstream = await startHttp2Upstream((stream, headers) => {
      stream.respond({ ':status': 200 })
      if (headers[':path'] === '/') stream.end('new')
      else resolve(stream)
    })
    await using edge = await startEdge(upstream.port)
    using session = visit(edge.tlsPort)
    const old = reply(call(session, { ':path': '/old' }))
    const stream = await held
    upstream.sayGoodbye()
    // The PING of a further request follows the GOAWAY on the same connection.
    await get(edge.port)
    expect(await get(edge.port)).toMatch(/new/)
    stream.end('old')
    expect((await old).body).toBe('old')
  })

  it('gives a connection back after a quiet time', async () => {
    await using upstream = await startHttp2Upstream((stream) => stream.respond({ ':status': 200 }, { endStream: true }))
    await using edge = await startEdge(upstream.port, { idleStreamMs: 30 })
    await get(edge.port)
    await edge.streams[0]?.closed
    expect(edge.streams[0]?.isClosed).toBe(true)
  })
})

describe('an upstream that does not keep to HTTP/2', () => {
  it.each<[string, Buffer | string]>([
    ['speaks HTTP/1.1', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['speaks no HTTP at all', Buffer.alloc(64, 0xff)],
    ['sends a status below 100', answerOf(head([[':status', '099']], endHeaders | endStream))],
    ['sends no status', answerOf(head([['x-a', 'b']], endHeaders | endStream))],
    ['answers with 101', answerOf(head([[':status', '101']], endHeaders | endStream))],
    [
      'sends a header of the connection',
      answerOf(
        head(
          [
            [':status', '200'],
            ['connection', 'close'],
          ],
          endHeaders | endStream,
        ),
      ),
    ],
    [
      'breaks its own Content-Length',
      answerOf(
        head(
          [
            [':status', '200'],
            ['content-length', '5'],
          ],
          endHeaders | endStream,
        ),
      ),
    ],
    ['sends DATA before a head', answerOf(frame(frameTypes.data, endStream, 1, Buffer.from('x')))],
    ['resets the stream', answerOf(frame(frameTypes.reset, 0, 1, Buffer.from([0, 0, 0, 2])))],
    [
      'sends CONTINUATION without end',
      answerOf(
        head([[':status', '200']], 0),
        ...Array.from({ length: 2000 }, () => frame(frameTypes.continuation, 0, 1)),
      ),
    ],
    ['sends interim responses without end', answerOf(...Array.from({ length: 100 }, () => head([[':status', '103']])))],
    [
      'sends a head without end',
      answerOf(
        head([[':status', '200']], 0),
        ...Array.from({ length: 40 }, () =>
          frame(frameTypes.continuation, 0, 1, headerBlock([['x-a', 'b'.repeat(8_000)]])),
        ),
      ),
    ],
    [
      'floods with PING',
      answerOf(...Array.from({ length: 5_000 }, () => frame(frameTypes.ping, 0, 0, Buffer.alloc(8)))),
    ],
    ['closes the connection', ''],
  ])('one that %s is a 502, and nothing else happens', async (_name, bytes) => {
    await using upstream = await startRawUpstream(answerHttp2(bytes))
    await using edge = await startEdge(upstream.port)
    expect(await get(edge.port)).toMatch(/^(HTTP\/1\.1 103 [^]*)?HTTP\/1\.1 502 [^]*ERR_SERVICE_3(808|004)/)
    await using ordinary = await startHttp2Upstream((stream) => stream.respond({ ':status': 200 }, { endStream: true }))
    await using other = await startEdge(ordinary.port)
    expect(await get(other.port)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('one that speaks only HTTP/1.1 is a 502 that says what its address promises', async () => {
    await using upstream = await startRawUpstream(answerHttp2('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'))
    await using edge = await startEdge(upstream.port)
    expect(await get(edge.port)).toMatch(/^HTTP\/1\.1 502 [^]*does not speak HTTP\/2, as h2c:\/\/ or h2:\/\/ says/)
  })

  it('one that cannot be reached is a 502 that says so', async () => {
    await using edge = await startEdge(1)
    expect(await get(edge.port)).toMatch(/^HTTP\/1\.1 502 [^]*ERR_SERVICE_8012/)
  })

  it('one that never answers is a 504', async () => {
    await using upstream = await startRawUpstream(() => undefined)
    await using edge = await startEdge(upstream.port, { upstreamResponseMs: 100 })
    expect(await get(edge.port)).toMatch(/^HTTP\/1\.1 504 /)
  })
})

it('a field that comes twice reaches the visitor, and the upstream, as it came', async () => {
  const twice = 'HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Type: c/d\r\nContent-Length: 0\r\n\r\n'
  await using plain = await startRawUpstream(() => twice)
  await using edge = await startTestEdge({ upstreamPort: plain.port })
  using session = visit(edge.tlsPort)
  const [, , raw] = (await once(call(session), 'response')) as [unknown, unknown, string[]]
  expect(raw.filter((_field, i) => raw[i - 1] === 'content-type')).toEqual(['a/b', 'c/d'])

  let seen: readonly string[] = []
  await using upstream = await startHttp2Upstream((stream, headers) => {
    seen = [headers.authorization ?? '']
    stream.respond({ ':status': 200 }, { endStream: true })
  })
  await using other = await startEdge(upstream.port)
  using visitor = await RawVisitor.connect(other.port)
  visitor.send('GET / HTTP/1.1\r\nHost: app.test\r\nAuthorization: a\r\nAuthorization: b\r\nConnection: close\r\n\r\n')
  await visitor.closed()
  expect(visitor.text).toMatch(/^HTTP\/1\.1 200 /)
  expect(seen).toEqual(['a'])
})
