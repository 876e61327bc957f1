import { describe, expect, it } from 'vitest'
import type { RouteBackend } from '../edge/edge-route.ts'
import type { EdgeTunnel } from '../edge/edge-tunnel.ts'
import { Failover, HttpResponse, TunnelGroup, Weighted } from './backends.ts'
import { Balancer } from './balancer.ts'

const tunnel = (id: string): EdgeTunnel => ({
  id,
  accountId: 'ac_1',
  url: '',
  forwardsTo: id,
  policy: null,
  upstreamProtocol: 'http1',
  protocol: 'http',
  openStream: () => {
    throw new Error('not used')
  },
})

function chosen(backend: RouteBackend, tried: readonly EdgeTunnel[] = []): string {
  const choice = backend.choose(tried)
  if (choice.kind === 'tunnel') return choice.tunnel.id
  return choice.kind === 'response' ? String(choice.response.status) : 'none'
}

const group = (...members: EdgeTunnel[]) => new TunnelGroup(() => members, new Balancer(() => 0))
const response = (status: number) => new HttpResponse({ status, headers: [], body: Buffer.alloc(0) })

describe('backends', () => {
  it('a group chooses only tunnels that this request has not tried', () => {
    const [a, b] = [tunnel('a'), tunnel('b')]
    expect(chosen(group(a, b), [a])).toBe('b')
    expect(chosen(group(a, b), [a, b])).toBe('none')
    expect(chosen(group())).toBe('none')
  })

  it('failover goes on to the next backend when one has nobody left', () => {
    const a = tunnel('a')
    const failover = new Failover([group(), group(a), response(503)])
    expect(chosen(failover)).toBe('a')
    expect(chosen(failover, [a])).toBe('503')
    expect(chosen(new Failover([]))).toBe('none')
  })

  it('weights decide the share, and 0 means never', () => {
    const points = [0, 0.24, 0.26, 0.99]
    const weighted = (random: () => number) =>
      new Weighted(
        [
          { backend: response(201), weight: 1 },
          { backend: response(202), weight: 3 },
          { backend: response(203), weight: 0 },
        ],
        random,
      )
    expect(points.map((point) => chosen(weighted(() => point)))).toEqual(['201', '201', '202', '202'])
  })

  it('the share of a backend that cannot serve goes to the others', () => {
    const weighted = new Weighted(
      [
        { backend: group(), weight: 99 },
        { backend: response(202), weight: 1 },
      ],
      () => 0,
    )
    expect(chosen(weighted)).toBe('202')
  })
})
