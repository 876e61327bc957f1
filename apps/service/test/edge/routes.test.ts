import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { BackendChoice, EdgeRoute, RouteBackend } from '../../src/edge/edge-route.ts'
import type { EdgeTunnel } from '../../src/edge/edge-tunnel.ts'
import { usualTerms } from '../../src/edge/tls-terms.ts'
import { startRawUpstream } from './raw-upstream.ts'
import { RawVisitor } from './raw-visitor.ts'
import { startTestEdge } from './running-edge.ts'

const outcomes: string[] = []

/** Gives out the tunnels in order, leaving out those that have failed. */
function group(...tunnels: EdgeTunnel[]): RouteBackend {
  return {
    choose: (tried): BackendChoice => {
      const tunnel = tunnels.find((one) => !tried.includes(one))
      if (tunnel === undefined) return { kind: 'none' }
      return { kind: 'tunnel', tunnel, use: { begin: () => (outcome) => outcomes.push(`${tunnel.id} ${outcome}`) } }
    },
  }
}

function fixed(status: number, body: string): RouteBackend {
  const response = { status, headers: ['x-fixed', 'yes'], body: Buffer.from(body) }
  return { choose: () => ({ kind: 'response', response }) }
}

const routeTo = (backend: RouteBackend | null, more: Partial<EdgeRoute> = {}): EdgeRoute => ({
  id: 'edghtsrt_1',
  accountId: 'ac_1',
  addressFilter: null,
  userAgentFilter: null,
  convertsWebSockets: false,
  modules: [],
  backend,
  ...more,
})

async function replyTo(port: number, request: string): Promise<string> {
  using visitor = await RawVisitor.connect(port)
  visitor.send(request)
  await visitor.until((text) => /\r\n\r\n/.test(text))
  return visitor.text
}

const get = (port: number, path = '/') =>
  replyTo(port, `GET ${path} HTTP/1.1\r\nHost: edge.test\r\nConnection: close\r\n\r\n`)
const post = (port: number) =>
  replyTo(port, 'POST / HTTP/1.1\r\nHost: edge.test\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')

/** An upstream that goes away with the request. */
function hangUp(_received: string, socket: Socket): undefined {
  socket.destroy()
}

/** An edge at `edge.test` with one route, over tunnels that lead to these ports. */
async function startWith(ports: readonly number[], make: (tunnels: EdgeTunnel[]) => EdgeRoute | 'none' | 'ambiguous') {
  outcomes.length = 0
  const edge = await startTestEdge()
  const tunnels = ports.map((port, index) => edge.tunnelTo(`t${index}`, port))
  const made = make(tunnels)
  edge.publish('edge.test', {
    id: 'edghts_1',
    tls: usualTerms,
    route: () => (typeof made === 'string' ? { kind: made } : { kind: 'route', route: made }),
  })
  return edge
}

describe('a route', () => {
  it('answers by itself with a fixed response', async () => {
    await using edge = await startWith([], () => routeTo(fixed(418, 'short')))
    const reply = await get(edge.port)
    expect(reply).toMatch(/^HTTP\/1\.1 418 /)
    expect(reply).toContain('x-fixed: yes')
    expect(reply).toMatch(/short$/)
  })

  it('refuses an address that its policies do not allow, before anything is forwarded', async () => {
    await using upstream = await startRawUpstream()
    await using edge = await startWith([upstream.port], (tunnels) =>
      routeTo(group(...tunnels), { addressFilter: { isAllowed: (address) => address !== '127.0.0.1' } }),
    )
    expect(await get(edge.port)).toMatch(/^HTTP\/1\.1 403 [^]*ERR_SERVICE_3205/)
    expect(upstream.received()).toBe('')
  })

  it.each([
    ['404', 'none' as const],
    ['400', 'ambiguous' as const],
  ])('answers %s when the path finds %s', async (status, made) => {
    await using edge = await startWith([], () => made)
    expect(await get(edge.port)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  it('without a backend, or with nobody online, says so', async () => {
    await using without = await startWith([], () => routeTo(null))
    expect(await get(without.port)).toMatch(/^HTTP\/1\.1 503 [^]*ERR_SERVICE_3822/)
    await using nobody = await startWith([], () => routeTo(group()))
    expect(await get(nobody.port)).toMatch(/^HTTP\/1\.1 503 [^]*ERR_SERVICE_3823/)
  })
})

describe('a tunnel that fails', () => {
  it('hands any request on to the next one while nothing has reached an upstream', async () => {
    await using upstream = await startRawUpstream()
    await using edge = await startWith([1, upstream.port], (tunnels) => routeTo(group(...tunnels)))
    expect(await post(edge.port)).toMatch(/^HTTP\/1\.1 200 /)
    expect(outcomes).toEqual(['t0 failure', 't1 success'])
  })

  it('hands a GET on once when the connection is lost before a response', async () => {
    await using broken = await startRawUpstream(hangUp)
    await using upstream = await startRawUpstream()
    await using edge = await startWith([broken.port, upstream.port], (tunnels) => routeTo(group(...tunnels)))
    expect(await get(edge.port)).toMatch(/^HTTP\/1\.1 200 /)
    await using worse = await startWith([broken.port, broken.port, upstream.port], (tunnels) =>
      routeTo(group(...tunnels)),
    )
    expect(await get(worse.port)).toMatch(/^HTTP\/1\.1 502 /)
  })

  it('never sends a POST twice once it has left', async () => {
    await using broken = await startRawUpstream(hangUp)
    await using upstream = await startRawUpstream()
    await using edge = await startWith([broken.port, upstream.port], (tunnels) => routeTo(group(...tunnels)))
    expect(await post(edge.port)).toMatch(/^HTTP\/1\.1 502 /)
    expect(upstream.received()).toBe('')
    expect(outcomes).toEqual(['t0 failure'])
  })
})
