import { describe, expect, it } from 'vitest'
import { edgeLimits } from '../../src/edge/limits.ts'
import { endHeaders, endStream, frame, frameTypes, headerBlock, RawHttp2Visitor } from './raw-http2.ts'
import { startRawUpstream } from './raw-upstream.ts'
import { startTestEdge } from './running-edge.ts'

const request = headerBlock([
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'app.test'],
  [':path', '/'],
])
const floodCount = process.env['TEST_LONG'] === '1' ? 1_000_000 : 20_000
const cancel = Buffer.from([0, 0, 0, 8])

/** Frames without end, by their number. */
const floods: readonly { readonly name: string; readonly next: (index: number) => Buffer }[] = [
  {
    name: 'rapid reset',
    next: (i) =>
      Buffer.concat([
        frame(frameTypes.headers, endHeaders | endStream, 2 * i + 1, request),
        frame(frameTypes.reset, 0, 2 * i + 1, cancel),
      ]),
  },
  { name: 'SETTINGS', next: () => frame(frameTypes.settings, 0, 0, Buffer.from([0, 4, 0, 0, 255, 255])) },
  { name: 'PING', next: () => frame(frameTypes.ping, 0, 0, Buffer.alloc(8)) },
  {
    name: 'CONTINUATION',
    next: (i) =>
      i === 0
        ? frame(frameTypes.headers, endStream, 1, request)
        : frame(frameTypes.continuation, 0, 1, headerBlock([['x-a', 'b'.repeat(100)]])),
  },
  {
    name: 'empty CONTINUATION',
    next: (i) => (i === 0 ? frame(frameTypes.headers, endStream, 1, request) : frame(frameTypes.continuation, 0, 1)),
  },
  { name: 'resets of streams that never were', next: (i) => frame(frameTypes.reset, 0, 2 * i + 1, cancel) },
  { name: 'zero WINDOW_UPDATE', next: (i) => frame(frameTypes.windowUpdate, 0, 2 * i + 1, Buffer.alloc(4)) },
  {
    name: 'requests with a malformed head',
    next: (i) => frame(frameTypes.headers, endHeaders | endStream, 2 * i + 1, headerBlock([['X-A', 'b']])),
  },
  {
    name: 'DATA on a closed stream',
    next: (i) =>
      i === 0
        ? frame(frameTypes.headers, endHeaders | endStream, 1, request)
        : frame(frameTypes.data, 0, 1, Buffer.alloc(1)),
  },
]

describe('an HTTP/2 visitor that floods', () => {
  it.each(floods)('with $name loses its connection; others notice nothing', async ({ next }) => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using attacker = await RawHttp2Visitor.connect(edge.tlsPort)
    const usedBefore = process.cpuUsage()
    for (let i = 0; i < floodCount && !attacker.visitor.isClosed; i += 100) {
      attacker.send(...Array.from({ length: 100 }, (_, offset) => next(i + offset)))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await attacker.visitor.closed()
    expect(process.cpuUsage(usedBefore).user).toBeLessThan(5_000_000)
    expect(edge.streams.length).toBeLessThan(1_000)
    using other = await RawHttp2Visitor.connect(edge.tlsPort)
    other.send(frame(frameTypes.headers, endHeaders | endStream, 1, request))
    expect((await other.untilAnswered(1)).some(({ type }) => type === frameTypes.data)).toBe(true)
  })

  it('a header list that is too large is refused', async () => {
    await using edge = await startTestEdge()
    using attacker = await RawHttp2Visitor.connect(edge.tlsPort)
    const large = headerBlock([['x-a', 'b'.repeat(8_000)]])
    attacker.send(frame(frameTypes.headers, endStream, 1, request))
    for (let i = 0; i < 8; i++) attacker.send(frame(frameTypes.continuation, i === 7 ? endHeaders : 0, 1, large))
    await attacker.untilAnswered(1)
    expect(edge.streams.length).toBe(0)
    expect(attacker.frames.some(({ type }) => type === frameTypes.data)).toBe(true)
  })

  it('only so many streams are open at a time', async () => {
    await using upstream = await startRawUpstream(() => undefined)
    await using edge = await startTestEdge({ upstreamPort: upstream.port, limits: { http2StreamsMaxCount: 10 } })
    using attacker = await RawHttp2Visitor.connect(edge.tlsPort)
    for (let i = 0; i < 50; i++) attacker.send(frame(frameTypes.headers, endHeaders | endStream, 2 * i + 1, request))
    await attacker.visitor.until(() => attacker.frames.filter(({ type }) => type === frameTypes.reset).length === 40)
    expect(edge.streams.length).toBe(10)
  })
})

describe('an HTTP/2 visitor that has sent its last byte', () => {
  it('gets the answer that it waits for, and its connection ends', async () => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using visitor = await RawHttp2Visitor.connect(edge.tlsPort)
    visitor.send(frame(frameTypes.headers, endHeaders | endStream, 1, request))
    visitor.visitor.socket.end()
    await visitor.visitor.closed()
    expect(visitor.frames.some(({ type, streamId }) => type === frameTypes.data && streamId === 1)).toBe(true)
  })

  it('is not kept until the session has been quiet for long', async () => {
    await using edge = await startTestEdge()
    using visitor = await RawHttp2Visitor.connect(edge.tlsPort)
    await visitor.visitor.until(() => visitor.frames.some(({ type }) => type === frameTypes.settings))
    visitor.visitor.socket.end()
    const startedAtMs = performance.now()
    await visitor.visitor.closed()
    expect(performance.now() - startedAtMs).toBeLessThan(edgeLimits.visitorIdleMs / 5)
  })
})
