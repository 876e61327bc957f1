import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { startRawUpstream } from './raw-upstream.ts'
import { RawVisitor } from './raw-visitor.ts'
import { startTestEdge, type EdgeOptions } from './running-edge.ts'

/** What a visitor gets for one request. */
async function reply(options: EdgeOptions, request: string): Promise<string> {
  await using edge = await startTestEdge(options)
  using visitor = await RawVisitor.connect(edge.port)
  visitor.send(request)
  return await visitor.until((text) => /\}\n$|<\/html>\n$/.test(text))
}

function get(host: string, accept = '*/*'): string {
  return `GET /a HTTP/1.1\r\nHost: ${host}\r\nAccept: ${accept}\r\n\r\n`
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

describe('failure pages', () => {
  it.each([
    ['an unknown name', 'other.test', '404 Not Found', 'ERR_SERVICE_3200'],
    ['an agent that is offline', 'offline.test', '503 Service Unavailable', 'ERR_SERVICE_3201'],
    ['a session that has just gone', 'gone.test', '503 Service Unavailable', 'ERR_SERVICE_3201'],
  ])('%s has its own status and code', async (_name, host, status, code) => {
    const text = await reply({}, get(host))
    expect(text.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`)
    expect(text).toContain(`Service-Error-Code: ${code}\r\n`)
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ error_code: code, details: {} })
  })

  it('an upstream that refuses is 502 and names the address', async () => {
    const port = await closedPort()
    const text = await reply({ upstreamPort: port }, get('app.test'))
    expect(text).toMatch(/^HTTP\/1.1 502/)
    expect(text).toContain('ERR_SERVICE_8012')
    expect(text).toContain(`http://127.0.0.1:${port}: the connection was refused`)
  })

  it('an upstream that does not answer in time is 504, and its stream is cut', async () => {
    await using upstream = await startRawUpstream(() => undefined)
    await using edge = await startTestEdge({ upstreamPort: upstream.port, limits: { upstreamResponseMs: 60 } })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(get('app.test'))
    expect(await visitor.until((text) => text.endsWith('}\n'))).toMatch(/^HTTP\/1.1 504[^]*ERR_SERVICE_8013/)
    await edge.streams[0]?.closed
  })

  it('a visitor that stops in the middle of a body is 408', async () => {
    await using upstream = await startRawUpstream(() => undefined)
    const request = 'POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 9\r\n\r\nabc'
    const text = await reply({ upstreamPort: upstream.port, limits: { upstreamResponseMs: 60 } }, request)
    expect(text).toMatch(/^HTTP\/1.1 408[^]*ERR_SERVICE_3802/)
  })

  it.each([
    ['not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['a bad status line', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n'],
    ['length and chunked', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a coding of its own', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n'],
    ['a bare LF', 'HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n'],
    ['101 without being asked', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['interim responses without end', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(20)],
    ['a head without end', `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(70_000)}`],
  ])('an upstream that answers with %s is 502', async (_name, answer) => {
    await using upstream = await startRawUpstream((_text, socket) => void socket.end(answer))
    expect(await reply({ upstreamPort: upstream.port }, get('app.test'))).toMatch(
      /^(HTTP\/1.1 102[^]*)?HTTP\/1.1 502[^]*ERR_SERVICE_3004/,
    )
  })

  it('a session that is lost before the response is 503', async () => {
    await using upstream = await startRawUpstream(() => undefined)
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(get('app.test'))
    await upstream.until((text) => text.includes('\r\n\r\n'))
    edge.streams[0]?.loseSession()
    expect(await visitor.until((text) => text.endsWith('}\n'))).toMatch(/^HTTP\/1.1 503[^]*ERR_SERVICE_3201/)
  })

  it('a session that is lost within the response breaks the response off', async () => {
    await using upstream = await startRawUpstream(
      () => 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n',
    )
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(get('app.test'))
    await visitor.until((text) => text.endsWith('2\r\nok\r\n'))
    edge.streams[0]?.loseSession()
    expect(await visitor.closed()).toMatch(/2\r\nok\r\n$/)
  })

  it('is HTML for browsers, and shows nothing of the request unescaped', async () => {
    const text = await reply({}, get('a_b.test', 'text/html,*/*;q=0.8'))
    expect(text).toContain('Content-Type: text/html; charset=utf-8')
    expect(text).toContain('Nothing is published at a_b.test')
    const trick = await reply({}, 'GET / HTTP/1.1\r\nHost: <script>alert(1)</script>\r\nAccept: text/html\r\n\r\n')
    expect(trick).toMatch(/^HTTP\/1.1 400/)
    expect(trick).not.toContain('<script>')
    const method = await reply({}, 'TRACE / HTTP/1.1\r\nHost: "app.test"\r\nAccept: text/html\r\n\r\n')
    expect(method).toContain('The method TRACE is not offered')
  })
})

describe('limits on what a visitor may send', () => {
  it.each([
    ['one header is too large', `A: ${'b'.repeat(40_000)}\r\n`],
    ['headers are too many', 'A: b\r\n'.repeat(201)],
    ['headers are far too many', 'A:b\r\n'.repeat(4_000)],
  ])('%s: 431', async (_name, headers) => {
    expect(await reply({}, `GET / HTTP/1.1\r\nHost: app.test\r\n${headers}\r\n`)).toMatch(
      /^HTTP\/1.1 431[^]*ERR_SERVICE_3801/,
    )
  })

  it('a head that does not come in time: 408', async () => {
    const text = await reply({ limits: { requestHeadMs: 50 } }, 'GET / HTTP/1.1\r\nHost: app.test\r\n')
    expect(text).toMatch(/^HTTP\/1.1 408[^]*ERR_SERVICE_3802/)
  })

  it('a connection that sends nothing is closed', async () => {
    await using edge = await startTestEdge({ limits: { requestHeadMs: 50 } })
    using visitor = await RawVisitor.connect(edge.port)
    expect(await visitor.closed()).toContain('408')
  })

  it('too many requests without waiting for answers: 429', async () => {
    await using upstream = await startRawUpstream(() => undefined)
    await using edge = await startTestEdge({
      upstreamPort: upstream.port,
      limits: { pipelinedMaxCount: 2, upstreamResponseMs: 100 },
    })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(get('app.test').repeat(3))
    expect(await visitor.closed()).toMatch(/504[^]*504[^]*HTTP\/1.1 429[^]*ERR_SERVICE_3805/)
    expect(edge.streams.length).toBe(2)
  })
})
