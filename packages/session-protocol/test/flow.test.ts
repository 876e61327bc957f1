import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { defaultLimits, wire } from '../src/index.ts'
import { memoryPair } from './memory-transport.ts'
import { sessionPair, webSocketPair } from './session-pair.ts'
import { attachCounting, CountingSink, header, pump, repeat } from './sinks.ts'

const chunk = Buffer.alloc(64 * 1024)

describe('the window of a stream', () => {
  it('grows with the path: 100 ms round trip carry 20 MB/s and more', async () => {
    const { service, onAgent } = sessionPair(memoryPair({ delayMs: 50 }))
    const source = pump(service.openStream(header), repeat(chunk, 100_000))
    await onAgent.until(() => onAgent.streams.length === 1)
    const sink = attachCounting(onAgent.streams[0]!)
    await passed(sink, 16_000_000)
    const [startBytes, startMs] = [sink.bytes, performance.now()]
    await passed(sink, startBytes + 20_000_000)
    const bytesPerSecond = ((sink.bytes - startBytes) * 1000) / (performance.now() - startMs)
    expect(bytesPerSecond).toBeGreaterThan(20_000_000)
    service.close({ code: 'shutdown', retryAfterMs: 0, message: '' })
    await source.closed
  })

  it('stays small for a slow reader, however fast the sender is', async () => {
    const { service, onAgent } = sessionPair(await webSocketPair())
    const source = pump(service.openStream(header), repeat(chunk, 100_000))
    await onAgent.until(() => onAgent.streams.length === 1)
    const stream = onAgent.streams[0]!
    const sink = new CountingSink()
    sink.onChunk = () => {
      stream.pause()
      setTimeout(() => stream.resume(), 10)
    }
    stream.attach(sink)
    await passed(sink, 3_000_000)
    stream.reset('cancelled')
    await source.closed
    expect(onAgent.streams).toHaveLength(1)
    service.close({ code: 'shutdown', retryAfterMs: 0, message: '' })
  })
})

it('serves its streams in turn: none waits for another', async () => {
  const { service, agent, onAgent } = sessionPair(await webSocketPair())
  onTestFinished(() => service.close({ code: 'shutdown', retryAfterMs: 0, message: '' }))
  agent.agree({ maxStreams: 100, heartbeat: { intervalMs: 2000, toleranceMs: 3000 } })
  await vi.waitFor(() => expect(agent.roundTripMs).not.toBeNull())
  const sinks: CountingSink[] = []
  onAgent.onStreamOpened = (stream) => void sinks.push(attachCounting(stream))
  for (let n = 0; n < 10; n++) pump(service.openStream(header), repeat(chunk, 100_000))
  await onAgent.until(() => sinks.length === 10)
  await passed(sinks[0]!, 20_000_000)
  const shares = sinks.map(({ bytes }) => bytes)
  expect(Math.min(...shares) / Math.max(...shares)).toBeGreaterThan(0.8)
})

it('lets a small exchange pass between bulk streams at once', async () => {
  const { service, onAgent } = sessionPair(await webSocketPair())
  onTestFinished(() => service.close({ code: 'shutdown', retryAfterMs: 0, message: '' }))
  const bulk = pump(service.openStream(header), repeat(chunk, 100_000))
  await onAgent.until(() => onAgent.streams.length === 1)
  const bulkSink = attachCounting(onAgent.streams[0]!)
  await passed(bulkSink, 5_000_000)
  const before = bulkSink.bytes
  const small = pump(service.openStream(header), [Buffer.from('ping')].values())
  onAgent.onStreamOpened = (stream) => {
    attachCounting(stream)
    stream.end()
  }
  await small.closed
  const limit = 3 * defaultLimits.transportMarkBytes + 16 * 1024 * 1024
  expect(bulkSink.bytes - before).toBeLessThan(limit)
  expect(bulk.isEnded).toBe(false)
})

it('never has more unread than the windows, also with readers that stand still', async () => {
  const sessionWindowMaxBytes = 512 * 1024
  const [agentTransport, serviceTransport] = memoryPair()
  const { service } = sessionPair([agentTransport, serviceTransport], { sessionWindowMaxBytes })
  for (let n = 0; n < 20; n++) pump(service.openStream(header), repeat(chunk, 1000))
  let last = -1
  while (last !== agentTransport.receivedBytes) {
    last = agentTransport.receivedBytes
    for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve))
  }
  const overhead = 20 * 1000
  expect(last).toBeLessThanOrEqual(20 * wire.initialCreditBytes + sessionWindowMaxBytes + overhead)
  expect(last).toBeGreaterThanOrEqual(20 * wire.initialCreditBytes)
  service.close({ code: 'shutdown', retryAfterMs: 0, message: '' })
})

/** Resolves when a sink has received so many bytes in all. */
function passed(sink: CountingSink, bytes: number): Promise<void> {
  if (sink.bytes >= bytes) return Promise.resolve()
  const onChunk = sink.onChunk
  return new Promise((resolve) => {
    sink.onChunk = (data) => {
      onChunk(data)
      if (sink.bytes < bytes) return
      sink.onChunk = onChunk
      resolve()
    }
  })
}
