import { startHttpUpstream } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestEdge } from './running-edge.ts'
import { RawVisitor } from './raw-visitor.ts'

describe('HTTP/1.1 through the edge', () => {
  let upstream: Awaited<ReturnType<typeof startHttpUpstream>>
  let edge: Awaited<ReturnType<typeof startTestEdge>>
  beforeAll(async () => {
    upstream = await startHttpUpstream()
    edge = await startTestEdge({ upstreamPort: upstream.port })
  })
  afterAll(async () => {
    await edge[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  async function fetchText(request: string): Promise<string> {
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(request)
    return await visitor.closed()
  }

  it('reuses the visitor connection and the stream', async () => {
    const before = edge.streams.length
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send('GET / HTTP/1.1\r\nHost: app.test\r\n\r\n')
    expect(await visitor.until((text) => text.endsWith('World!'))).toMatch(/^HTTP\/1.1 200 OK/)
    visitor.send('GET / HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n')
    expect(await visitor.closed()).toMatch(/World!HTTP\/1.1 200 OK[^]*World!$/)
    expect(edge.streams.length).toBe(before + 1)
  })

  it('gives the upstream the public Host, and who called in X-Forwarded headers', async () => {
    const text = await fetchText(
      'GET /request?a=b HTTP/1.1\r\nHost: App.Test.:80\r\nX-Forwarded-For: 1.2.3.4\r\nConnection: close\r\n\r\n',
    )
    const seen = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
    expect(seen.url).toBe('/request?a=b')
    expect(seen.headers).toMatchObject({
      host: 'App.Test.:80',
      'x-forwarded-for': '1.2.3.4, 127.0.0.1',
      'x-forwarded-host': 'App.Test.:80',
      'x-forwarded-proto': 'http',
    })
  })

  it('passes bodies of either framing, and trailers', async () => {
    const sized = await fetchText(
      'POST /echo HTTP/1.1\r\nHost: app.test\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello',
    )
    expect(sized).toContain('hello')
    const chunked =
      'POST /echo HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n'
    expect(await fetchText(chunked)).toContain('5\r\nhello\r\n0\r\n\r\n')
    expect(
      await fetchText('GET /trailers HTTP/1.1\r\nHost: app.test\r\nTE: trailers\r\nConnection: close, TE\r\n\r\n'),
    ).toMatch(/0\r\n[\w-]+: .+\r\n\r\n$/)
  })

  it('answers HEAD without a body', async () => {
    const text = await fetchText('HEAD / HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n')
    expect(text).toMatch(/\r\n\r\n$/)
  })
})
