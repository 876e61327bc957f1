import { describe, expect, it } from 'vitest'
import { RawVisitor } from './raw-visitor.ts'
import { startRawUpstream } from './raw-upstream.ts'
import { startTestEdge } from './running-edge.ts'
import { brokenChunks, smugglingCases } from './smuggling-cases.ts'

describe('edge and upstream cannot disagree about where a request ends', () => {
  it.each(smugglingCases)('$name', async ({ request, expected }) => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(request)
    const reply = await visitor.until((text) => /\r\n\r\n/.test(text))
    if ('refused' in expected) {
      expect(reply.slice(0, 12)).toBe(`HTTP/1.1 ${expected.refused}`)
      await visitor.closed()
      expect(upstream.received()).toBe('')
    } else {
      expect(reply.slice(0, 12)).toBe('HTTP/1.1 200')
      expect(await upstream.until((text) => text.length >= expected.upstream.length)).toBe(expected.upstream)
    }
  })

  it.each(brokenChunks)('a body with $name is never completed', async ({ body }) => {
    await using upstream = await startRawUpstream(() => undefined)
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawVisitor.connect(edge.port)
    visitor.send(`POST / HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)
    await visitor.closed()
    expect(upstream.received()).not.toMatch(/^0\r\n|smuggled/m)
  })

  it('the cases are many enough', () => expect(smugglingCases.length + brokenChunks.length).toBeGreaterThan(40))
})
