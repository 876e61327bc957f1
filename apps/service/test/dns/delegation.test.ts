import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Authority } from '../../src/dns/authority.ts'
import { type DnsServer, startDnsServer } from '../../src/dns/dns-server.ts'
import { PublicDns } from '../../src/dns/public-dns.ts'
import { Zone } from '../../src/dns/zone.ts'
import { ZoneTable } from '../../src/dns/zone-table.ts'
import { dig, digAt } from './tools.ts'
import { hasPrograms, loopbackAddress, type RunningUnbound, startRecursor } from '@tunnel/testkit'

const nowSeconds = () => Date.now() / 1_000
const ingress = {
  domain: 'connect.acme.test',
  nsTargets: ['1.r4nd0m.ns.svc.test.', '2.r4nd0m.ns.svc.test.'],
  regionDomains: ['tunnel.eu.connect.acme.test'],
}
/** Port 53 on addresses of our own: recursors follow delegations to no other port. */
const [parentAddress, serviceAddress] = [loopbackAddress(), loopbackAddress()]
const mayListenOn53 = process.getuid?.() === 0

function startOn53(zones: ZoneTable, host: string): Promise<DnsServer> {
  return startDnsServer({
    zones,
    listen: { host, port: 53 },
    nowMs: () => performance.now(),
    onFailure: (error) => expect.fail(String(error)),
  })
}

describe.skipIf(!mayListenOn53 || !hasPrograms('unbound', 'dig'))('an agent ingress behind a real recursor', () => {
  const authority = new Authority({ domain: 'svc.test', publicIps: [serviceAddress], nowSeconds })
  const acme = new Zone({ apex: 'acme.test', nameservers: ['ns.acme.test'], nowSeconds })
  const stack = new AsyncDisposableStack()
  let unbound: RunningUnbound
  let publicDns: PublicDns

  beforeAll(async () => {
    const parents = new ZoneTable()
    acme.put('ns.acme.test', 60, { type: 'A', values: [parentAddress] })
    acme.put('_acme-challenge.www.acme.test', 1, { type: 'CNAME', values: ['label.acme-challenge.svc.test'] })
    acme.put('acme.test', 60, { type: 'CAA', values: [{ tag: 'issue', value: 'ca.test' }] })
    parents.add(acme)
    stack.use(await startOn53(parents, parentAddress))
    stack.use(await startOn53(authority.zones, serviceAddress))
    unbound = stack.use(await startRecursor({ 'acme.test': parentAddress, 'svc.test': serviceAddress }))
    publicDns = new PublicDns({ resolvers: [`127.0.0.1:${unbound.port}`], authoritativePort: 53 })
  })

  afterAll(() => stack.disposeAsync())

  it('is not delegated until the parent says so, whatever our own servers answer', async () => {
    expect(await publicDns.delegationOf(ingress.domain)).toEqual([])
    expect(await digAt(serviceAddress, 'NS', ingress.domain)).toContain('status: REFUSED')
  })

  it('is delegated to what the parent lists, asked at the parent; then its names resolve, and the proof with them', async () => {
    acme.put(ingress.domain, 1, { type: 'NS', values: ingress.nsTargets })
    expect((await publicDns.delegationOf(ingress.domain)).toSorted()).toEqual(
      ingress.nsTargets.map((name) => name.replace(/\.$/, '')),
    )
    expect(await digAt(serviceAddress, 'A', ingress.domain)).toContain('status: REFUSED')
    authority.loadIngress(ingress)
    authority.publishText(`_acme-challenge.${ingress.domain}`, ['proof'])
    for (const name of [ingress.domain, ...ingress.regionDomains])
      expect(await dig(unbound.port, '+rec', '+short', 'A', name)).toBe(`${serviceAddress}\n`)
    expect(await dig(unbound.port, '+rec', '+short', 'TXT', `_acme-challenge.${ingress.domain}`)).toBe('"proof"\n')
  })

  it('reads aliases and CAA records, and takes what is not there for nothing', async () => {
    expect(await publicDns.aliasesOf('_acme-challenge.www.acme.test')).toEqual(['label.acme-challenge.svc.test'])
    expect(await publicDns.caaOf('acme.test')).toEqual([{ isCritical: false, tag: 'issue', value: 'ca.test' }])
    for (const name of ['absent.acme.test', 'ns.acme.test']) {
      expect(await publicDns.aliasesOf(name)).toEqual([])
      expect(await publicDns.caaOf(name)).toEqual([])
    }
  })

  it('fails, instead of finding nothing, when nobody can be asked', async () => {
    const nobody = new PublicDns({ resolvers: ['127.0.0.1:1'], authoritativePort: 53 })
    await expect(nobody.aliasesOf('acme.test')).rejects.toBeInstanceOf(Error)
    await expect(nobody.delegationOf(ingress.domain)).rejects.toBeInstanceOf(Error)
    const wrongPort = new PublicDns({ resolvers: [`127.0.0.1:${unbound.port}`], authoritativePort: 1 })
    await expect(wrongPort.delegationOf(ingress.domain)).rejects.toBeInstanceOf(Error)
  })
})
