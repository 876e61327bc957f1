import { describe, expect, it } from 'vitest'
import { startRawUpstream } from './raw-upstream.ts'
import { RawVisitor } from './raw-visitor.ts'
import { startTestEdge } from './running-edge.ts'

/** Collects log lines. */
function lineCollector() {
  const lines: Record<string, unknown>[] = []
  return { lines, sink: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) } }
}

describe('what the edge tells about its work', () => {
  it('is one log line per request, refused or not, and figures by outcome', async () => {
    const { lines, sink } = lineCollector()
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port, accessLog: sink })
    for (const host of ['app.test', 'app.test', 'other.test', 'a@b']) {
      using visitor = await RawVisitor.connect(edge.port)
      visitor.send(`POST /path?secret=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc`)
      await visitor.closed()
    }
    expect(lines.map(({ status, code }) => [status, code])).toEqual([
      [200, undefined],
      [200, undefined],
      [404, 3200],
      [400, 3800],
    ])
    expect(lines[0]).toMatchObject({
      method: 'POST',
      host: 'app.test',
      target: '/path?secret=1',
      requestBytes: 3,
      responseBytes: 2,
      complete: true,
    })
    const metrics = await edge.registry.metrics()
    expect(metrics).toContain('edge_requests_total{status_class="2xx",owner="nobody"} 2')
    expect(metrics).toContain('edge_requests_total{status_class="4xx",owner="visitor"} 2')
    expect(metrics).toContain('edge_bytes_total{direction="received"} 6')
    expect(metrics).toContain('edge_streams_total{kind="opened"} 1')
    expect(metrics).toContain('edge_streams_total{kind="reused"} 1')
    expect(metrics).toContain('edge_requests_in_flight 0')
    expect(metrics).toContain('edge_upstream_seconds_count 2')
  })

  it('counts a visitor that leaves as the visitor’s doing', async () => {
    const { lines, sink } = lineCollector()
    await using upstream = await startRawUpstream(() => undefined)
    await using edge = await startTestEdge({ upstreamPort: upstream.port, accessLog: sink })
    const visitor = await RawVisitor.connect(edge.port)
    visitor.send('GET / HTTP/1.1\r\nHost: app.test\r\n\r\n')
    await upstream.until((text) => text.includes('\r\n\r\n'))
    visitor.socket.destroy()
    await edge.streams[0]?.closed
    expect(lines).toMatchObject([{ status: 0, complete: false }])
    expect(await edge.registry.metrics()).toContain('edge_requests_total{status_class="none",owner="visitor"} 1')
  })
})
