import { describe, expect, it } from 'vitest'
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts'
import { RawVisitor } from './raw-visitor.ts'
import { startTestEdge } from './running-edge.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** Sends requests one after the other on one connection; returns the status of each. */
async function statuses(port: number, requests: readonly string[]): Promise<string[]> {
  using visitor = await RawVisitor.connect(port)
  for (const [index, request] of requests.entries()) {
    visitor.send(`${request} HTTP/1.1\r\nHost: app.test\r\n\r\n`)
    await visitor.until((text) => text.split('HTTP/1.1 ').length > index + 1 && /ok$|}\n$/.test(text))
  }
  return visitor.text
    .split('HTTP/1.1 ')
    .slice(1)
    .map((reply) => reply.slice(0, 3))
}

function requestLines(upstream: RawUpstream): string[] {
  return upstream.received().match(/^[A-Z]+ \S+(?= HTTP)/gm) ?? []
}

describe('streams to the agent', () => {
  it.each([
    ['are used again after a complete response', ok, 1],
    [
      'are not used again when the upstream says close',
      `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok`,
      2,
    ],
    ['are not used again when bytes follow the response', `${ok}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`, 2],
    ['are not used again with an HTTP/1.0 upstream', `HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok`, 2],
  ])('%s', async (_name, answer, expectedStreams) => {
    await using upstream = await startRawUpstream((text) => (text.includes('\r\n\r\n') ? answer : undefined))
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    expect(await statuses(edge.port, ['GET /1', 'GET /2'])).toEqual(['200', '200'])
    expect(edge.streams.length).toBe(expectedStreams)
  })

  it('are closed when the upstream sends something that nobody asked for', async () => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    await statuses(edge.port, ['GET /1'])
    upstream.sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil')
    await edge.streams[0]?.closed
    expect(await statuses(edge.port, ['GET /2'])).toEqual(['200'])
    expect(edge.streams.length).toBe(2)
  })

  it('are closed when they were idle for too long', async () => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port, limits: { idleStreamMs: 30 } })
    await statuses(edge.port, ['GET /1'])
    await edge.streams[0]?.closed
    expect(edge.streams.length).toBe(1)
  })

  it('are kept up to a bound', async () => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port, limits: { idleStreamsMaxCount: 3 } })
    await Promise.all(Array.from({ length: 8 }, () => statuses(edge.port, ['GET /'])))
    const open = () => edge.streams.filter((stream) => !stream.isClosed).length
    while (open() > 3)
      await Promise.race(edge.streams.filter((stream) => !stream.isClosed).map((stream) => stream.closed))
    expect(open()).toBe(Math.min(3, edge.streams.length))
  })
})

describe('a request on a stream that the upstream has just closed', () => {
  /** Answers the first request of a connection, and closes without an answer when another one comes on it. */
  async function closingUpstream(): Promise<RawUpstream> {
    const served = new WeakSet<object>()
    return startRawUpstream((text, socket) => {
      if (!text.includes('\r\n\r\n')) return undefined
      if (served.has(socket)) socket.destroy()
      served.add(socket)
      return socket.destroyed ? undefined : ok
    })
  }

  it.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])('%s is sent once more, on a new stream', async (method) => {
    await using upstream = await closingUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('GET /1 HTTP/1.1\r\nHost: app.test\r\n\r\n')
    await visitor.until((text) => text.endsWith('ok'))
    visitor.send(`${method} /2 HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n`)
    expect((await visitor.closed()).match(/HTTP\/1.1 200/g)).toHaveLength(2)
    expect(requestLines(upstream)).toEqual(['GET /1', `${method} /2`, `${method} /2`])
    expect(await edge.registry.getSingleMetricAsString('edge_streams_total')).toContain('kind="retried"} 1')
  })

  it.each([
    ['POST', ''],
    ['PATCH', ''],
    ['PUT', 'Content-Length: 2\r\n\r\nab'],
    ['POST', 'Content-Length: 2\r\n\r\nab'],
  ])('%s with "%s" is never sent twice', async (method, rest) => {
    await using upstream = await closingUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('GET /1 HTTP/1.1\r\nHost: app.test\r\n\r\n')
    await visitor.until((text) => text.endsWith('ok'))
    visitor.send(`${method} /2 HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n${rest === '' ? '\r\n' : rest}`)
    expect((await visitor.closed()).split('HTTP/1.1 ')[2]).toMatch(/^502/)
    expect(requestLines(upstream)).toEqual(['GET /1', `${method} /2`])
  })

  it('is not sent a third time', async () => {
    let count = 0
    await using upstream = await startRawUpstream((_text, socket) => {
      if (++count === 1) return ok
      socket.destroy()
      return undefined
    })
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    expect(await statuses(edge.port, ['GET /1', 'GET /2'])).toEqual(['200', '502'])
    expect(requestLines(upstream)).toEqual(['GET /1', 'GET /2', 'GET /2'])
  })

  it('is not sent again once a byte of the response has come', async () => {
    let count = 0
    await using upstream = await startRawUpstream((_text, socket) => {
      if (++count === 1) return ok
      socket.end('HTTP/1.1 2')
      return undefined
    })
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    expect(await statuses(edge.port, ['GET /1', 'GET /2'])).toEqual(['200', '502'])
    expect(requestLines(upstream)).toEqual(['GET /1', 'GET /2'])
  })

  it('a request that must not be sent twice does not take a stream that was idle for long', async () => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port, limits: { freshStreamMs: 0 } })
    expect(await statuses(edge.port, ['GET /1', 'POST /2', 'GET /3'])).toEqual(['200', '200', '200'])
    expect(edge.streams.length).toBe(2)
  })
})
