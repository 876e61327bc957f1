import { createHash, randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { type SessionLimits, StreamUnavailable, toDuplex, type Transport, wire } from '../src/index.ts'
import { type Carrier, carriers, stopRelays } from './carriers.ts'
import { type SessionPair, sessionPair } from './session-pair.ts'
import { attachCounting, CountingSink, echo, header, pump, repeat } from './sinks.ts'

const pairs: SessionPair[] = []

afterEach(async () => {
  for (const { agent } of pairs.splice(0)) agent.close({ code: 'shutdown', retryAfterMs: 0, message: '' })
  await stopRelays()
})

async function connect(carrier: Carrier, limits?: Partial<SessionLimits>): Promise<SessionPair> {
  const transports: [Transport, Transport] = await carrier.connect()
  const pair = sessionPair(transports, limits)
  pairs.push(pair)
  return pair
}

describe.each(carriers)('over $name', (carrier) => {
  it('delivers the bytes that were written, however they are cut', async () => {
    const { service, onAgent } = await connect(carrier)
    onAgent.onStreamOpened = echo
    const chunkings = fc.array(fc.integer({ min: 1, max: carrier.bulkBytes / 40 }), { minLength: 1, maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(chunkings, async (sizes) => {
        const chunks = sizes.map((size) => randomBytes(size))
        const sink = pump(service.openStream(header), chunks.values())
        expect(await sink.closed).toEqual({ kind: 'finished' })
        expect(sink.digest()).toBe(createHash('sha256').update(Buffer.concat(chunks)).digest('hex'))
      }),
      { numRuns: 6 },
    )
  })

  it('keeps one direction open when the other has ended, both ways round', async () => {
    const { service, onAgent } = await connect(carrier)
    const fromService = service.openStream(header)
    const atService = attachCounting(fromService)
    fromService.end()
    await onAgent.until(() => onAgent.streams.length === 1)
    const fromAgent = onAgent.streams[0]!
    const atAgent = new CountingSink()
    atAgent.onEnded = () => {
      fromAgent.write(Buffer.from('after your end'))
      fromAgent.end()
    }
    fromAgent.attach(atAgent)
    expect(await atService.closed).toEqual({ kind: 'finished' })
    expect(await atAgent.closed).toEqual({ kind: 'finished' })
    expect(atService.bytes).toBe('after your end'.length)
    expect([service.streamCount, onAgent.streams[0]?.queuedBytes]).toEqual([0, 0])
  })

  it.skipIf(carrier.isSlow)('keeps what is in flight within the window while the reader is slow', async () => {
    const { service, onAgent } = await connect(carrier, { streamWindowBytes: wire.initialCreditBytes })
    const stream = service.openStream(header)
    const source = pump(stream, repeat(Buffer.alloc(10_000), 1000))
    await onAgent.until(() => onAgent.streams.length === 1)
    const reader = onAgent.streams[0]!
    const sink = new CountingSink()
    reader.pause()
    reader.attach(sink)
    await settled(() => stream.queuedBytes)
    expect(sink.bytes).toBe(0)
    const unsent = stream.queuedBytes
    expect(unsent).toBeGreaterThan(0)
    reader.resume()
    await new Promise((resolve) => (sink.onChunk = resolve))
    reader.reset('cancelled', 'enough')
    expect(await source.closed).toEqual({ kind: 'reset', by: 'peer', code: 'cancelled', message: 'enough' })
  })

  it.skipIf(carrier.isSlow)(
    'cuts a stream at once by a reset during writing, and leaves the others alone',
    async () => {
      const { service, onAgent } = await connect(carrier)
      const other = service.openStream(header)
      onAgent.onStreamOpened = (stream) => {
        if (stream.id === other.id) return echo(stream)
        const sink = new CountingSink()
        sink.onChunk = () => stream.reset('upstream_refused', 'no')
        stream.attach(sink)
      }
      const otherSink = attachCounting(other)
      other.write(Buffer.from('one'))
      const victim = pump(service.openStream(header), repeat(Buffer.alloc(5000), 100_000))
      expect(await victim.closed).toEqual({ kind: 'reset', by: 'peer', code: 'upstream_refused', message: 'no' })
      other.write(Buffer.from('two'))
      other.end()
      expect(await otherSink.closed).toEqual({ kind: 'finished' })
      expect(otherSink.bytes).toBe(6)
      expect(service.isClosed).toBe(false)
    },
  )

  it.skipIf(carrier.isSlow)('carries a thousand streams at a time', async () => {
    const { service, onAgent } = await connect(carrier)
    onAgent.onStreamOpened = echo
    const payload = randomBytes(Math.min(500, carrier.bulkBytes / 1000))
    const sinks = Array.from({ length: 1000 }, () => pump(service.openStream(header), [payload].values()))
    const endings = await Promise.all(sinks.map(({ closed }) => closed))
    expect(new Set(endings.map(({ kind }) => kind))).toEqual(new Set(['finished']))
    expect(sinks.every(({ bytes }) => bytes === payload.length)).toBe(true)
    expect(service.streamCount).toBe(0)
  })

  it('refuses streams beyond the limit, safe to repeat, and takes new ones when there is room again', async () => {
    const { service, agent, onAgent } = await connect(carrier, { maxStreams: 3 })
    service.agree({ maxStreams: 10, heartbeat: { intervalMs: 2000, toleranceMs: 3000 } })
    onAgent.onStreamOpened = echo
    const streams = Array.from({ length: 4 }, () => service.openStream(header))
    const sinks = streams.map(attachCounting)
    expect(await sinks[3]?.closed).toMatchObject({ kind: 'reset', by: 'peer', code: 'refused' })
    expect(agent.streamCount).toBe(3)
    streams[0]?.end()
    await sinks[0]?.closed
    const next = pump(service.openStream(header), [Buffer.from('x')].values())
    expect(await next.closed).toEqual({ kind: 'finished' })
    service.agree({ maxStreams: 2, heartbeat: { intervalMs: 2000, toleranceMs: 3000 } })
    expect(() => service.openStream(header)).toThrow(StreamUnavailable)
  })

  it('leaves a quarter of the streams to other binds', async () => {
    const { service, onAgent } = await connect(carrier)
    service.agree({ maxStreams: 8, heartbeat: { intervalMs: 2000, toleranceMs: 3000 } })
    onAgent.onStreamOpened = echo
    const [one, other] = [header, { ...header, bindId: 'other' }]
    const streams = Array.from({ length: 6 }, () => service.openStream(one))
    const sinks = streams.map(attachCounting)
    expect(() => service.openStream(one)).toThrow(StreamUnavailable)
    const others = [service.openStream(other), service.openStream(other)]
    expect(() => service.openStream(other)).toThrow(StreamUnavailable)
    for (const stream of others) stream.reset('cancelled')
    expect(() => service.openStream(one)).toThrow(StreamUnavailable)
    streams[0]?.end()
    await sinks[0]?.closed
    expect(await pump(service.openStream(one), [Buffer.from('x')].values()).closed).toEqual({ kind: 'finished' })
  })

  it('lets running streams finish after a go-away, opens no more, and then closes in order', async () => {
    const { service, agent, onAgent, onService } = await connect(carrier)
    onAgent.onStreamOpened = echo
    const stream = service.openStream(header)
    const sink = attachCounting(stream)
    service.leave(1234, 'restarting')
    await onAgent.until(() => onAgent.goAways.length === 1)
    expect(onAgent.goAways[0]).toEqual({ code: 'shutdown', retryAfterMs: 1234, message: 'restarting' })
    expect(() => service.openStream(header)).toThrow(StreamUnavailable)
    expect(() => agent.openStream(header)).toThrow(StreamUnavailable)
    stream.write(Buffer.from('still here'))
    stream.end()
    expect(await sink.closed).toEqual({ kind: 'finished' })
    expect(sink.bytes).toBe(10)
    await onAgent.until(() => onAgent.ending !== null)
    expect(onAgent.ending).toMatchObject({ by: 'peer', code: 'shutdown', retryAfterMs: 1234 })
    expect(onService.ending).toMatchObject({ by: 'local', code: 'shutdown' })
  })

  it('tells both ends why a session was closed, and its streams that they are lost', async () => {
    const { service, agent, onAgent } = await connect(carrier)
    const stream = attachCounting(agent.openStream(header))
    service.close({ code: 'credential_revoked', retryAfterMs: 60_000, message: 'revoked' })
    expect(await stream.closed).toMatchObject({ kind: 'session_lost' })
    await onAgent.until(() => onAgent.ending !== null)
    expect(onAgent.ending).toEqual({ by: 'peer', code: 'credential_revoked', message: 'revoked', retryAfterMs: 60_000 })
    expect(() => agent.openStream(header)).toThrow(StreamUnavailable)
  })

  it('passes control messages both ways, and ignores unknown ones', async () => {
    const { service, agent, onAgent, onService } = await connect(carrier)
    service.send({ type: 'command', id: 'c1', command: 'restart' })
    agent.send({ type: 'commandResult', id: 'c1', error: null })
    agent.send({ type: 'telemetry' } as never)
    agent.send({ type: 'unbind', bindId: 'b' })
    await onAgent.until(() => onAgent.messages.length === 1)
    await onService.until(() => onService.messages.length === 2)
    expect(onAgent.messages).toEqual([{ type: 'command', id: 'c1', command: 'restart' }])
    expect(onService.messages[1]).toEqual({ type: 'unbind', bindId: 'b' })
    expect(service.ignored).toEqual({ frames: 0, controlMessages: 1 })
  })

  it('serves as a Node duplex', async () => {
    const { service, onAgent } = await connect(carrier)
    onAgent.onStreamOpened = (stream) => {
      const duplex = toDuplex(stream)
      duplex.pipe(duplex)
    }
    const payload = randomBytes(carrier.bulkBytes / 4)
    const duplex = toDuplex(service.openStream(header))
    const received = buffer(duplex)
    await pipeline(Readable.from([payload.subarray(0, 10_000), payload.subarray(10_000)]), duplex, { end: true })
    expect((await received).equals(payload)).toBe(true)
  })
})

/** Waits until a value has stopped changing. */
async function settled(value: () => number): Promise<void> {
  for (let last = Number.NaN, same = 0; same < 20; same = value() === last ? same + 1 : 0) {
    last = value()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
