import { expect, it } from 'vitest'
import { LabelledTunnels } from './labelled-tunnels.ts'
import { Tunnel } from './tunnel.ts'

function tunnel(accountId: string, labels: Readonly<Record<string, string>>): Tunnel {
  const facts = { id: `tn_${accountId}`, accountId, sessionId: 'ts_1', region: 'local', startedAtMs: 0 }
  const bind = {
    bindId: 'b',
    protocol: 'http',
    domain: null,
    forwardsTo: ':80',
    policy: null,
    upstreamProtocol: 'http1',
  }
  const streams = { openStream: () => expect.unreachable() }
  return new Tunnel(
    { ...facts, domain: null, publicUrl: null, policy: null },
    { ...bind, labels } as unknown as Tunnel['bind'],
    streams,
  )
}

const ofA = tunnel('ac_a', { app: 'shop', site: 'a' })
const ofB = tunnel('ac_b', { app: 'shop', site: 'a' })
const all = new LabelledTunnels()
all.add(ofA)
all.add(ofB)

it('a group has the tunnels of its own account alone, whatever labels others give themselves', () => {
  expect(all.withLabels('ac_a', { app: 'shop' })).toEqual([ofA])
  expect(all.withLabels('ac_b', { app: 'shop' })).toEqual([ofB])
  expect(all.withLabels('ac_c', { app: 'shop' })).toEqual([])
})

it.each([
  ['no label at all', {}],
  ['a label that the tunnel does not have', { app: 'shop', zone: 'x' }],
  ['another spelling', { app: 'Shop' }],
  ['what every object has', { constructor: 'Object' }],
  ['a prototype', JSON.parse('{"__proto__": "x"}') as Record<string, string>],
])('a group with %s has none', (_name, labels) => {
  expect(all.withLabels('ac_a', labels)).toEqual([])
})
