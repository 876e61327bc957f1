import { describe, expect, it } from 'vitest'
import { RawVisitor } from './raw-visitor.ts'
import { startRawUpstream } from './raw-upstream.ts'
import { startTestEdge } from './running-edge.ts'
import { brokenChunks, normalisedCases, refusedCases } from './smuggling-cases.ts'

describe('edge and upstream cannot disagree about where a request ends', () => {
  it.each(refusedCases)('$name is refused', async ({ request, status }) => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(request)
    expect((await visitor.closed()).slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
    expect(upstream.received()).toBe('')
  })

  it.each(normalisedCases)('$name: the upstream sees one plain request', async ({ request, upstream: expected }) => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(request)
    expect(await visitor.until((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1.1 200/)
    expect(await upstream.until((text) => text.length >= expected.length)).toBe(expected)
  })

  it.each(brokenChunks)('a body with $name is never completed', async ({ body }) => {
    await using upstream = await startRawUpstream(() => undefined)
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(`POST / HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)
    await visitor.closed()
    expect(upstream.received()).not.toMatch(/^0\r\n|smuggled/m)
  })
})
