import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { once } from 'node:events'
import { type Account, hasPrograms, runProcess, startAgent, startHttpUpstream, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFailing, isIssued, type Named } from '../../src/names/named.ts'
import { NameWorld } from '../../src/names/name-world.ts'
import { startResolvingProxy } from '../../src/names/resolving-proxy.ts'

const mayRun = process.getuid?.() === 0 && hasPrograms('pebble', 'unbound', 'dig', 'openssl', 'curl')
/** Half of it is over before the certificate is renewed. */
const validitySeconds = 24

describe.skipIf(!mayRun)('names and certificates, from the API call to the visitor', { timeout: 120_000 }, () => {
  const stack = new AsyncDisposableStack()
  let world: NameWorld
  let account: Account
  let delegation: readonly string[]
  let wildcard: Named

  beforeAll(async () => {
    world = stack.use(await NameWorld.start({ pebble: { validitySeconds } }))
    account = await world.service.createAccount()
  }, 60_000)

  afterAll(() => stack.disposeAsync())

  /** A handshake that verifies the name against the authority's root; the certificate's serial number. */
  async function handshake(servername: string): Promise<string> {
    const socket = connect({
      host: world.publicAddress,
      port: world.edgePorts.https,
      servername,
      ca: readFileSync(world.caFile),
    })
    await once(socket, 'secureConnect')
    const { serialNumber } = socket.getPeerCertificate()
    socket.destroy()
    return serialNumber
  }

  /** What the customer of the wildcard domain sets, beside the delegation. */
  const recordsFor = (domain: Named) => [
    ...delegation,
    `*.app.customer.test. CNAME ${domain.cname_target}.`,
    `_acme-challenge.app.customer.test. CNAME ${domain.acme_challenge_cname_target}.`,
  ]
  const aliases = ['*.app.customer.test', '_acme-challenge.app.customer.test']
  /** Until the recursor has forgotten what it knew of them. */
  const untilAliases = (count: number) =>
    expect
      .poll(async () =>
        (await Promise.all(aliases.map((name) => resolve(name, 'CNAME')))).filter((text) => text !== ''),
      )
      .toHaveLength(count)
  const mentions = (name: string) => world.pebble.output().split(name).length

  const resolve = (name: string, type = 'A') =>
    runProcess('dig', ['@127.0.0.1', '-p', String(world.recursor.port), '+short', type, name])

  it('the domain of the service and the names below it have a certificate without being asked', async () => {
    const attempt = () => handshake('anything.svc.test').catch((error: Error) => error.message)
    await expect.poll(attempt, { timeout: 80_000, interval: 200 }).toMatch(/^[0-9A-F]+$/)
    expect(await handshake('svc.test')).toBe(await handshake('other.svc.test'))
  })

  it('an agent ingress: pending until the parent delegates, then agents connect with a public certificate', async () => {
    const policy = { authority: 'letsencrypt' }
    const ingress = (await account.call('POST', '/agent_ingresses', {
      domain: 'connect.acme.test',
      certificate_management_policy: policy,
    })) as Named
    delegation = ingress.ns_targets.map((target) => `connect.acme.test. NS ${target}`)
    const path = `/agent_ingresses/${ingress.id}`
    const pending = await world.until<Named>(account, path, isFailing)
    expect(pending.certificate_management_status?.provisioning_job).toMatchObject({
      error_code: 'DNS_ERROR',
      retries_at: expect.any(String) as string,
    })
    expect(pending.certificate_management_status?.provisioning_job?.msg).toContain(
      ingress.ns_targets[0]?.replace(/\.$/, ''),
    )
    expect(world.pebble.output()).not.toContain('connect.acme.test')

    await world.setCustomerRecords(delegation)
    await account.call('PATCH', path, { description: 'the records are there' })
    await world.until<Named>(account, path, isIssued)
    expect(await resolve('connect.acme.test')).toBe(`${world.publicAddress}\n`)
    await handshake(ingress.region_domains[0] ?? '')

    await using dir = await tempDir()
    await using proxy = await startResolvingProxy(world.recursor.port)
    await using agent = await startAgent({
      stateDir: join(dir.path, 'agent'),
      authtoken: (await account.createAuthtoken()).token,
      connectUrl: `wss://connect.acme.test:${world.edgePorts.https}`,
      caFile: world.caFile,
      env: { HTTPS_PROXY: proxy.url },
    })
    await using upstream = await startHttpUpstream()
    const tunnel = await agent.createTunnel({ forwards_to: `127.0.0.1:${upstream.port}`, domain: 'device.svc.test' })
    expect(tunnel.url).toContain('device.svc.test')
    const sessions = () => account.call('GET', '/tunnel_sessions')
    await expect
      .poll(sessions, { timeout: 20_000, interval: 200 })
      .toMatchObject({ tunnel_sessions: [{ region: 'eu' }] })
    const visit = ['-s', '--cacert', world.caFile, '--connect-to', `::${world.publicAddress}:${world.edgePorts.https}`]
    expect(await runProcess('curl', [...visit, 'https://device.svc.test/request'])).toContain(
      '"x-forwarded-host":"device.svc.test"',
    )
  })

  it('a wildcard reserved domain: DNS_ERROR without an order, then served at the edge for names below it', async () => {
    const domain = (await account.call('POST', '/reserved_domains', { domain: '*.app.customer.test' })) as Named
    wildcard = domain
    const path = `/reserved_domains/${domain.id}`
    const missing = await world.until<Named>(account, path, isFailing)
    expect(missing.certificate_management_status?.provisioning_job?.msg).toContain(domain.acme_challenge_cname_target)
    expect(world.pebble.output()).not.toContain('customer.test')

    await world.setCustomerRecords(recordsFor(domain))
    await untilAliases(2)
    await account.call('PATCH', path, { description: 'the records are there' })
    const issued = await world.until<Named>(account, path, isIssued)
    expect(issued.certificate?.id).toMatch(/^cert_/)
    await handshake('device-7.app.customer.test')
    expect(await resolve('device-7.app.customer.test')).toContain(world.publicAddress)
    const left = ['+norec', 'TXT', domain.acme_challenge_cname_target ?? '']
    expect(await runProcess('dig', [`@${world.publicAddress}`, ...left])).toContain('status: NXDOMAIN')
  })

  it('ingress and wildcard are renewed under load without one failed handshake: new serials, old connections go on', async () => {
    const names = ['connect.acme.test', 'device-7.app.customer.test']
    const serials = new Map(
      await Promise.all(names.map(async (name) => [name, new Set([await handshake(name)])] as const)),
    )
    const held = connect({
      host: world.publicAddress,
      port: world.edgePorts.https,
      servername: 'device-7.app.customer.test',
      ca: readFileSync(world.caFile),
    })
    await once(held, 'secureConnect')
    const deadline = AbortSignal.timeout(60_000)
    let handshakes = 0
    for (let afterSwap = 0; afterSwap < 50 && !deadline.aborted; handshakes += 4) {
      await Promise.all([...names, ...names].map(async (name) => serials.get(name)?.add(await handshake(name))))
      if ([...serials.values()].every(({ size }) => size > 1)) afterSwap += 1
    }
    for (const seen of serials.values()) expect(seen.size).toBeGreaterThanOrEqual(2)
    expect(handshakes).toBeGreaterThan(200)
    expect(held.destroyed).toBe(false)
    held.destroy()
  })

  it('a record that goes later: DNS_ERROR, no order, the certificate stays; back again, it heals', async () => {
    const path = `/reserved_domains/${wildcard.id}`
    await world.setCustomerRecords(delegation)
    await untilAliases(0)
    await account.call('PATCH', path, { description: 'a record is gone' })
    const failing = await world.until<Named>(account, path, isFailing)
    expect(failing.certificate_management_status?.provisioning_job).toMatchObject({ error_code: 'DNS_ERROR' })
    const before = mentions('app.customer.test')
    await account.call('PATCH', path, { description: 'still gone' })
    expect(await handshake('device-7.app.customer.test')).toMatch(/^[0-9A-F]+$/)
    await world.until<Named>(account, path, ({ certificate_management_status: status }) => {
      const retriesAt = failing.certificate_management_status?.provisioning_job?.retries_at
      return (
        isFailing({ ...failing, certificate_management_status: status }) &&
        status?.provisioning_job?.retries_at !== retriesAt
      )
    })
    expect(mentions('app.customer.test')).toBe(before)

    await world.setCustomerRecords(recordsFor(wildcard))
    await untilAliases(2)
    await account.call('PATCH', path, { description: 'back again' })
    await world.until<Named>(account, path, isIssued)
  })

  it('what is left of a wildcard domain helps nobody: its CNAMEs dangle, and another account gets no certificate by them', async () => {
    const path = `/reserved_domains/${wildcard.id}`
    const { certificate } = (await account.call('GET', path)) as Named
    await expect(account.call('DELETE', `/tls_certificates/${certificate?.id}`)).rejects.toThrow('400')
    await account.call('DELETE', `${path}/certificate_management_policy`)
    expect(await account.call('GET', path)).toMatchObject({
      certificate_management_policy: null,
      certificate_management_status: null,
    })
    await account.call('DELETE', path)
    const atService = () => runProcess('dig', [`@${world.publicAddress}`, '+norec', wildcard.cname_target])
    await expect.poll(atService).toContain('status: NXDOMAIN')

    const before = mentions('app.customer.test')
    const other = await world.service.createAccount('taker@example.com')
    const taken = (await other.call('POST', '/reserved_domains', { domain: '*.app.customer.test' })) as Named
    const pending = await world.until<Named>(other, `/reserved_domains/${taken.id}`, isFailing)
    expect(pending.certificate_management_status?.provisioning_job).toMatchObject({
      error_code: 'DNS_ERROR',
      msg: expect.stringContaining(wildcard.cname_target) as string,
    })
    expect([taken.cname_target, taken.acme_challenge_cname_target]).not.toEqual([
      wildcard.cname_target,
      wildcard.acme_challenge_cname_target,
    ])
    expect(mentions('app.customer.test')).toBe(before)
    await expect(handshake('device-7.app.customer.test')).rejects.toThrow('certificate')
  })

  it('an agent of another account is refused at an ingress, and told why', async () => {
    const other = await world.service.createAccount('stranger@example.com')
    await using dir = await tempDir()
    await using proxy = await startResolvingProxy(world.recursor.port)
    await using agent = await startAgent({
      stateDir: join(dir.path, 'agent'),
      authtoken: (await other.createAuthtoken()).token,
      connectUrl: `wss://connect.acme.test:${world.edgePorts.https}`,
      caFile: world.caFile,
      env: { HTTPS_PROXY: proxy.url },
    })
    await agent.process.waitForOutput(/ingress_of_other_account/)
    expect(await other.call('GET', '/tunnel_sessions')).toMatchObject({ tunnel_sessions: [] })
  })

  it('a plain reserved domain proves itself over HTTP', async () => {
    const domain = (await account.call('POST', '/reserved_domains', { domain: 'www.customer.test' })) as Named
    await world.setCustomerRecords([`www.customer.test. CNAME ${domain.cname_target}.`])
    await account.call('PATCH', `/reserved_domains/${domain.id}`, { description: 'the record is there' })
    await world.until<Named>(account, `/reserved_domains/${domain.id}`, isIssued)
    expect(await handshake('www.customer.test')).toMatch(/^[0-9A-F]+$/)
  })

  it('what another account left behind at its provider helps nobody: same domain, new name servers, no zone, no order', async () => {
    const first = (await account.call('POST', '/agent_ingresses', { domain: 'left.acme.test' })) as Named
    await world.setCustomerRecords(first.ns_targets.map((target) => `left.acme.test. NS ${target}`))
    const atService = () => runProcess('dig', [`@${world.publicAddress}`, '+norec', 'SOA', 'left.acme.test'])
    await account.call('PATCH', `/agent_ingresses/${first.id}`, { description: 'delegated' })
    await expect.poll(atService, { timeout: 20_000, interval: 200 }).toContain('status: NOERROR')
    await account.call('DELETE', `/agent_ingresses/${first.id}`)
    await expect.poll(atService, { timeout: 20_000, interval: 200 }).toContain('status: REFUSED')

    const other = await world.service.createAccount('other@example.com')
    const policy = { authority: 'letsencrypt' }
    const second = (await other.call('POST', '/agent_ingresses', {
      domain: 'left.acme.test',
      certificate_management_policy: policy,
    })) as Named
    expect(second.ns_targets).not.toEqual(first.ns_targets)
    const pending = await world.until<Named>(other, `/agent_ingresses/${second.id}`, isFailing)
    expect(pending.certificate_management_status?.provisioning_job?.error_code).toBe('DNS_ERROR')
    expect(await atService()).toContain('status: REFUSED')
    expect(world.pebble.output()).not.toContain('left.acme.test')
    await expect(account.call('POST', '/agent_ingresses', { domain: 'left.acme.test' })).rejects.toThrow('6706')
  })
})
