import { type Account, hasPrograms, runProcess, startPebble } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { isFailing, isIssued, type Named } from '../../src/names/named.ts'
import { NameWorld } from '../../src/names/name-world.ts'
import { isThorough } from '../../src/thorough.ts'

const hasAll = process.getuid?.() === 0 && hasPrograms('pebble', 'unbound', 'dig', 'openssl', 'curl')
const mayRun = isThorough && hasAll
/** Resolvers wait before they ask a server again that was down. */
const mayRunLong = process.env['TEST_LONG'] === '1' && hasAll
const limit = { timeout: 120_000 }

async function reserveWildcard(world: NameWorld, account: Account): Promise<{ path: string; target: string }> {
  const domain = (await account.call('POST', '/reserved_domains', { domain: '*.app.customer.test' })) as Named
  const target = domain.acme_challenge_cname_target ?? ''
  await world.until<Named>(account, `/reserved_domains/${domain.id}`, isFailing)
  await world.setCustomerRecords([
    `*.app.customer.test. CNAME ${domain.cname_target}.`,
    `_acme-challenge.app.customer.test. CNAME ${target}.`,
  ])
  return { path: `/reserved_domains/${domain.id}`, target }
}

const orders = (world: NameWorld) => world.pebble.output().match(/There are now \d+ orders in the db/g)?.length ?? 0

it.skipIf(!mayRun)(
  'a certificate authority that is down is an internal error with a time to try again, and heals',
  limit,
  async () => {
    await using world = await NameWorld.start()
    const account = await world.service.createAccount()
    const { path } = await reserveWildcard(world, account)
    const { port, apiIdentity } = world.pebble
    await world.pebble[Symbol.asyncDispose]()
    await account.call('PATCH', path, { description: 'now' })
    const isDown = ({ certificate_management_status: status }: Named) =>
      status?.provisioning_job?.error_code === 'INTERNAL_ERROR' && status.provisioning_job.retries_at !== null
    const failing = await world.until<Named>(account, path, isDown)
    const { msg, started_at, retries_at } = failing.certificate_management_status?.provisioning_job ?? {}
    expect(msg).not.toMatch(/127\.|ECONN/)
    const waitSeconds = (Date.parse(retries_at ?? '') - Date.now()) / 1_000
    expect(waitSeconds).toBeGreaterThan(40)
    expect(waitSeconds).toBeLessThan(70)
    expect(Date.parse(started_at ?? '')).toBeLessThanOrEqual(Date.now())

    world.pebble = await startPebble({ dnsPort: world.recursor.port, port, apiIdentity })
    await account.call('PATCH', path, { description: 'again' })
    await world.until<Named>(account, path, isIssued)
  },
)

it.skipIf(!mayRunLong)(
  'a service killed in the middle of an order goes on after its start: one certificate, no proof left',
  limit,
  async () => {
    await using world = await NameWorld.start()
    const account = await world.service.createAccount()
    const { path, target } = await reserveWildcard(world, account)
    const proof = () =>
      runProcess('dig', [`@${world.publicAddress}`, '+norec', '+short', '+tries=1', '+time=1', 'TXT', target])
    await account.call('PATCH', path, { description: 'now' })
    await expect.poll(proof, { timeout: 20_000, interval: 20 }).not.toBe('')
    world.service.process.signal('SIGKILL')
    await world.service.process.exited
    const before = orders(world)
    await world.startService()
    await world.until<Named>(account, path, isIssued)
    expect(orders(world)).toBe(before + 1)
    expect(await proof()).toBe('')
    const { tls_certificates } = (await account.call('GET', '/tls_certificates')) as { tls_certificates: unknown[] }
    expect(tls_certificates).toHaveLength(1)
  },
)

it.skipIf(!mayRunLong)(
  'a region that comes later gets its name into the certificate of an ingress that was issued before',
  limit,
  async () => {
    await using world = await NameWorld.start()
    const account = await world.service.createAccount()
    const ingress = (await account.call('POST', '/agent_ingresses', {
      domain: 'connect.acme.test',
      certificate_management_policy: { authority: 'letsencrypt' },
    })) as Named
    const path = `/agent_ingresses/${ingress.id}`
    await world.setCustomerRecords(ingress.ns_targets.map((target) => `connect.acme.test. NS ${target}`))
    await account.call('PATCH', path, { description: 'the records are there' })
    await world.until<Named>(account, path, isIssued)
    const shownNames = () =>
      runProcess('sh', [
        '-c',
        `openssl s_client -connect ${world.publicAddress}:${world.edgePorts.https} -servername connect.acme.test </dev/null 2>/dev/null | openssl x509 -noout -ext subjectAltName`,
      ])
    expect(await shownNames()).toContain('DNS:connect.acme.test, DNS:tunnel.eu.connect.acme.test')

    await world.service[Symbol.asyncDispose]()
    await world.startService('us')
    expect((await account.call('GET', path)) as Named).toMatchObject({
      region_domains: ['tunnel.us.connect.acme.test'],
    })
    await expect
      .poll(shownNames, { timeout: 60_000, interval: 500 })
      .toContain('DNS:connect.acme.test, DNS:tunnel.us.connect.acme.test')
  },
)
