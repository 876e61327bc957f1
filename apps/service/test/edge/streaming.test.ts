import { startHttpUpstream } from '@tunnel/testkit'
import { describe, expect, it } from 'vitest'
import { startRawUpstream } from './raw-upstream.ts'
import { RawVisitor } from './raw-visitor.ts'
import { startTestEdge } from './running-edge.ts'

describe('bodies stream through the edge', () => {
  it('every chunk of a drip is passed on when it comes, whatever its type', async () => {
    await using upstream = await startRawUpstream((text) =>
      text.includes('\r\n\r\n')
        ? 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
        : undefined,
    )
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('GET / HTTP/1.1\r\nHost: app.test\r\n\r\n')
    expect(await visitor.until((text) => text.endsWith('\r\n\r\n'))).toContain('200 OK')
    // The next chunk is only sent when the one before has arrived.
    for (const piece of ['a', 'b', 'c']) {
      upstream.sockets[0]?.write(`1\r\n${piece}\r\n`)
      await visitor.until((text) => text.endsWith(`1\r\n${piece}\r\n`))
    }
    upstream.sockets[0]?.write('0\r\n\r\n')
    expect(await visitor.until((text) => text.endsWith('0\r\n\r\n'))).toMatch(
      /1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n$/,
    )
  })

  it('every piece of a request body is passed on when it comes', async () => {
    await using upstream = await startRawUpstream(() => undefined)
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('POST / HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n')
    await upstream.until((text) => text.endsWith('\r\n\r\n'))
    for (const piece of ['a', 'b']) {
      visitor.send(`1\r\n${piece}\r\n`)
      expect(await upstream.until((text) => text.endsWith(`1\r\n${piece}\r\n`))).not.toContain('\r\n0\r\n')
    }
  })

  it('a response without a length lasts until the upstream closes', async () => {
    await using upstream = await startRawUpstream(
      (_text, socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\nuntil the end'),
    )
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('GET / HTTP/1.1\r\nHost: app.test\r\n\r\n')
    expect(await visitor.until((text) => text.endsWith('0\r\n\r\n'))).toMatch(/d\r\nuntil the end\r\n0\r\n\r\n$/)
  })

  it('interim responses are passed on, and the length in an answer to HEAD stays', async () => {
    const answer =
      'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 42\r\n\r\n'
    await using upstream = await startRawUpstream(() => answer)
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('HEAD / HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n')
    const text = await visitor.closed()
    expect(text).toMatch(
      /^HTTP\/1.1 103 Early Hints\r\nLink: <\/a.css>; rel=preload\r\n\r\nHTTP\/1.1 200 OK\r\nContent-Length: 42\r\n/,
    )
    expect(text).toMatch(/\r\n\r\n$/)
  })

  it('a slow visitor slows the upstream and takes no memory', async () => {
    await using upstream = await startHttpUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.socket.pause()
    visitor.send('GET /bytes/1000000000 HTTP/1.1\r\nHost: app.test\r\n\r\n')
    let before = -1
    while (edge.streams[0] === undefined || edge.streams[0].socket.bytesRead !== before) {
      before = edge.streams[0]?.socket.bytesRead ?? -1
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    // What the sockets of both sides hold in the kernel, and two marks of Node's.
    expect(before).toBeLessThan(16_000_000)
  })

  it('a visitor that takes nothing of its response loses the connection', async () => {
    await using upstream = await startHttpUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port, limits: { visitorStallMs: 100 } })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.socket.pause()
    visitor.send('GET /bytes/1000000000 HTTP/1.1\r\nHost: app.test\r\n\r\n')
    while (edge.streams.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await edge.streams[0]?.closed
    expect(edge.streams[0]?.isClosed).toBe(true)
  })

  it('a slow upstream slows the visitor', async () => {
    await using upstream = await startRawUpstream((_text, socket) => void socket.pause())
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 100000000\r\n\r\n')
    const block = Buffer.alloc(65_536)
    while (visitor.socket.write(block));
    let sent = -1
    while (edge.streams[0] === undefined || edge.streams[0].socket.bytesWritten !== sent) {
      sent = edge.streams[0]?.socket.bytesWritten ?? -1
      for (let i = 0; i < 100; i++) visitor.socket.write(block)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(edge.streams[0].queuedBytes).toBeLessThan(1_000_000)
  })

  it('a response before the end of the upload reaches the visitor', async () => {
    const answer = 'HTTP/1.1 413 Payload Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig'
    await using upstream = await startRawUpstream((_text, socket) => void socket.end(answer))
    await using edge = await startTestEdge({ upstreamPort: upstream.port, limits: { lingerMs: 50 } })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 1000000\r\n\r\nabc')
    expect(await visitor.until((text) => text.endsWith('big'))).toMatch(/^HTTP\/1.1 413/)
    await visitor.closed()
    expect(edge.streams[0]?.isClosed).toBe(true)
  })

  it('a visitor that leaves ends the request at the upstream', async () => {
    await using upstream = await startRawUpstream(() => undefined)
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    const visitor = await RawVisitor.connect(edge.port)
    visitor.send('GET / HTTP/1.1\r\nHost: app.test\r\n\r\n')
    await upstream.until((text) => text.includes('\r\n\r\n'))
    visitor.socket.destroy()
    await edge.streams[0]?.closed
    expect(edge.streams[0]?.isClosed).toBe(true)
  })
})

describe('Expect: 100-continue', () => {
  it('is decided by the upstream: the body follows its 100', async () => {
    await using upstream = await startRawUpstream((text) => {
      if (text.includes('\r\n\r\n')) return 'HTTP/1.1 100 Continue\r\n\r\n'
      return text === 'ab' ? 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok' : undefined
    })
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('POST / HTTP/1.1\r\nHost: app.test\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n')
    expect(await visitor.until((text) => text.includes('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    expect(upstream.received()).toContain('Expect: 100-continue\r\n')
    visitor.send('ab')
    expect(await visitor.until((text) => text.endsWith('ok'))).toContain('200 OK')
  })

  it('a refusal ends the connection: nobody knows whether the body still comes', async () => {
    await using upstream = await startRawUpstream(() => 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n')
    await using edge = await startTestEdge({ upstreamPort: upstream.port, limits: { lingerMs: 50 } })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('POST / HTTP/1.1\r\nHost: app.test\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n')
    expect(await visitor.closed()).toMatch(/^HTTP\/1.1 401[^]*Connection: close\r\n/)
  })
})
