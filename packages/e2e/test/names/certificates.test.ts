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

    await world.setCustomerRecords(ingress.ns_targets.map((target) => `connect.acme.test. NS ${target}`))
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

  it('is renewed under load without one failed handshake: another key, another serial, old connections go on', async () => {
    const before = await handshake('connect.acme.test')
    const held = connect({
      host: world.publicAddress,
      port: world.edgePorts.https,
      servername: 'connect.acme.test',
      ca: readFileSync(world.caFile),
    })
    await once(held, 'secureConnect')
    const serials = new Set<string>()
    const deadline = AbortSignal.timeout(60_000)
    let handshakes = 0
    for (let afterSwap = 0; afterSwap < 50 && !deadline.aborted; handshakes += 4) {
      for (const serial of await Promise.all(Array.from({ length: 4 }, () => handshake('connect.acme.test'))))
        serials.add(serial)
      if (serials.size > 1) afterSwap += 1
    }
    expect(serials.size).toBeGreaterThanOrEqual(2)
    expect(serials).toContain(before)
    expect(handshakes).toBeGreaterThan(200)
    expect(held.destroyed).toBe(false)
    held.destroy()
  })

  it('a wildcard reserved domain: DNS_ERROR without an order, then served at the edge for names below it', async () => {
    const domain = (await account.call('POST', '/reserved_domains', { domain: '*.app.customer.test' })) as Named
    const path = `/reserved_domains/${domain.id}`
    const missing = await world.until<Named>(account, path, isFailing)
    expect(missing.certificate_management_status?.provisioning_job?.msg).toContain(domain.acme_challenge_cname_target)
    expect(world.pebble.output()).not.toContain('customer.test')

    await world.setCustomerRecords([
      `*.app.customer.test. CNAME ${domain.cname_target}.`,
      `_acme-challenge.app.customer.test. CNAME ${domain.acme_challenge_cname_target}.`,
    ])
    await account.call('PATCH', path, { description: 'the records are there' })
    const issued = await world.until<Named>(account, path, isIssued)
    expect(issued.certificate?.id).toMatch(/^cert_/)
    await handshake('device-7.app.customer.test')
    expect(await resolve('device-7.app.customer.test')).toContain(world.publicAddress)
    const left = ['+norec', 'TXT', domain.acme_challenge_cname_target ?? '']
    expect(await runProcess('dig', [`@${world.publicAddress}`, ...left])).toContain('status: NXDOMAIN')
    await expect(account.call('DELETE', `/tls_certificates/${issued.certificate?.id}`)).rejects.toThrow('400')

    await account.call('DELETE', `${path}/certificate_management_policy`)
    expect(await account.call('GET', path)).toMatchObject({
      certificate_management_policy: null,
      certificate_management_status: null,
    })
    await account.call('DELETE', path)
    expect(await runProcess('dig', [`@${world.publicAddress}`, '+norec', domain.cname_target])).toContain(
      'status: NXDOMAIN',
    )
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
