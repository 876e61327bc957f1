import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { expect, it } from 'vitest'
import { randomPageHash, startHttpUpstream } from './http-upstream.ts'
import { startTcpRelay } from './tcp-relay.ts'
import { createHash } from 'node:crypto'

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

const request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

it('adds its delay to both directions', async () => {
  await using upstream = await startHttpUpstream()
  await using relay = await startTcpRelay(upstream, { delayMs: 40 })
  const startedAt = performance.now()
  const response = await fetch(`http://127.0.0.1:${relay.port}/`)
  expect(await response.text()).toBe('Hello, World!')
  expect(performance.now() - startedAt).toBeGreaterThan(79)
})

it('delivers every byte in order when it cuts them into segments of one', async () => {
  await using upstream = await startHttpUpstream()
  await using relay = await startTcpRelay(upstream, { segmentMaxBytes: 1 })
  const response = await fetch(`http://127.0.0.1:${relay.port}/random/20000`)
  const body = Buffer.from(await response.arrayBuffer())
  expect(createHash('sha256').update(body).digest('hex')).toBe(randomPageHash(20_000))
})

it('loses bytes of a swallowed link without closing it, and serves new links once healed', async () => {
  await using upstream = await startHttpUpstream()
  await using relay = await startTcpRelay(upstream)
  const lost = await dial(relay.port)
  relay.swallow()
  lost.write(request)
  relay.heal()
  const healthy = await dial(relay.port)
  healthy.write(request)
  await once(healthy, 'data')
  expect(lost.readyState).toBe('open')
  expect(lost.bytesRead).toBe(0)
  lost.destroy()
  healthy.destroy()
})

it('resets a link in the middle of an answer', async () => {
  await using upstream = await startHttpUpstream()
  await using relay = await startTcpRelay(upstream)
  relay.cutAfter(100_000)
  const response = await fetch(`http://127.0.0.1:${relay.port}/bytes/10000000`)
  await expect(response.arrayBuffer()).rejects.toThrow('terminated')
  expect(relay.passedBytes).toBe(100_000)
})
