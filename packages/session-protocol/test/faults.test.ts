import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryPair } from './memory-transport.ts'
import { type SessionPair, sessionPair } from './session-pair.ts'
import { attachCounting, CountingSink, header, pump, repeat } from './sinks.ts'

describe('a connection that breaks', () => {
  it.each([1, 7, 100, 5000, 300_000])(
    'after %i bytes: both ends and all streams are told, nothing hangs',
    async (dropAfterBytes) => {
      const { service, onAgent, onService } = sessionPair(memoryPair({ dropAfterBytes }))
      const sources = [1, 2, 3].map(() => pump(service.openStream(header), repeat(Buffer.alloc(10_000), 10_000)))
      onAgent.onStreamOpened = (stream) => void attachCounting(stream)
      for (const source of sources) expect(await source.closed).toMatchObject({ kind: 'session_lost' })
      await onAgent.until(() => onAgent.ending !== null)
      expect(onAgent.ending).toMatchObject({ by: 'network', code: null })
      expect(onService.ending).toMatchObject({ by: 'network', code: null })
      expect(service.streamCount).toBe(0)
    },
  )

  it('leaves what had arrived completely to its reader', async () => {
    const [agentTransport, serviceTransport] = memoryPair()
    const { service, onAgent } = sessionPair([agentTransport, serviceTransport])
    const source = service.openStream(header)
    source.write(Buffer.from('complete'))
    source.end()
    await onAgent.until(() => onAgent.streams.length === 1)
    const stream = onAgent.streams[0]!
    const sink = new CountingSink()
    stream.pause()
    stream.attach(sink)
    stream.end()
    attachCounting(source)
    await vi.waitFor(() => expect(service.streamCount).toBe(0))
    agentTransport.destroy()
    stream.resume()
    expect(await sink.closed).toEqual({ kind: 'finished' })
    expect(sink.bytes).toBe(8)
  })
})

describe('a half-open connection', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('is noticed by both ends within five seconds, with streams or without', async () => {
    const transports = memoryPair()
    const { service, onAgent, onService } = sessionPair(transports)
    const stream = attachCounting(service.openStream(header))
    // Past the first exchange of PING and PONG: silence counts from there.
    await pass(3500)
    for (const transport of transports) transport.isBlocked = true
    await pass(3000)
    expect([onAgent.ending, onService.ending]).toEqual([null, null])
    await pass(2000)
    expect(onAgent.ending).toMatchObject({ by: 'local', code: 'heartbeat_timeout' })
    expect(onService.ending).toMatchObject({ by: 'local', code: 'heartbeat_timeout' })
    expect(await stream.closed).toMatchObject({ kind: 'session_lost' })
  })

  it('is not suspected while the peer is idle but alive', async () => {
    const { service, agent, onAgent, onService }: SessionPair = sessionPair(memoryPair())
    for (let second = 0; second < 60; second++) await pass(1000)
    expect([onAgent.ending, onService.ending]).toEqual([null, null])
    expect(agent.roundTripMs).not.toBeNull()
    expect(service.roundTripMs).toBeNull()
  })

  /** Advances the clock in small steps, letting messages arrive in between. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 250) {
      vi.advanceTimersByTime(Math.min(250, left))
      for (let n = 0; n < 6; n++) await new Promise((resolve) => setImmediate(resolve))
    }
  }
})
