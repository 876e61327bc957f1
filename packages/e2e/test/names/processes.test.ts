import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { type Account, hasPrograms, type RunningService, runProcess, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFailing, isIssued, type Named } from '../../src/names/named.ts'
import { NameWorld } from '../../src/names/name-world.ts'
import { hasPostgres, startPostgresCluster } from '../../src/postgres-cluster.ts'
import { isThorough } from '../../src/thorough.ts'

const mayRun =
  isThorough && process.getuid?.() === 0 && hasPostgres && hasPrograms('pebble', 'unbound', 'dig', 'openssl')
const withinSeconds = { timeout: 10_000, interval: 50 }

describe.skipIf(!mayRun)('two processes of the service on one PostgreSQL', { timeout: 120_000 }, () => {
  const stack = new AsyncDisposableStack()
  let world: NameWorld
  let second: RunningService
  let account: Account

  beforeAll(async () => {
    const { url } = stack.use(await startPostgresCluster())
    world = stack.use(await NameWorld.start({ databaseUrl: url }))
    second = stack.use(await world.startSecondService())
    account = await second.createAccount()
  }, 60_000)

  afterAll(() => stack.disposeAsync())

  const addresses = () => [world.publicAddress, world.secondAddress]

  /** The serial number that a process shows for a name, verified; or why there is none. */
  async function serialAt(host: string, servername: string): Promise<string> {
    const socket = connect({ host, port: world.edgePorts.https, servername, ca: readFileSync(world.caFile) })
    try {
      await once(socket, 'secureConnect')
      return socket.getPeerCertificate().serialNumber
    } catch (error) {
      return String(error)
    } finally {
      socket.destroy()
    }
  }

  async function expectSameCertificate(servername: string): Promise<void> {
    await expect.poll(() => serialAt(world.secondAddress, servername), withinSeconds).toMatch(/^[0-9A-F]+$/)
    expect(await serialAt(world.publicAddress, servername)).toBe(await serialAt(world.secondAddress, servername))
  }

  const textAt = (host: string, name: string) => runProcess('dig', [`@${host}`, '+norec', '+short', 'TXT', name])
  const orders = () => world.pebble.output().match(/There are now \d+ orders in the db/g)?.length ?? 0

  it('one of them obtains the certificate of the service, and both serve it', async () => {
    const name = 'anything.svc.test'
    await expect
      .poll(() => serialAt(world.publicAddress, name), { timeout: 80_000, interval: 200 })
      .toMatch(/^[0-9A-F]+$/)
    await expectSameCertificate(name)
    expect(orders()).toBe(1)
  })

  it('a domain reserved at one is looked after once: the proof is answered by both, the certificate served by both', async () => {
    const domain = (await account.call('POST', '/reserved_domains', { domain: '*.app.customer.test' })) as Named
    const path = `/reserved_domains/${domain.id}`
    await world.until<Named>(account, path, isFailing)
    const target = domain.acme_challenge_cname_target ?? ''
    await world.setCustomerRecords([
      `*.app.customer.test. CNAME ${domain.cname_target}.`,
      `_acme-challenge.app.customer.test. CNAME ${target}.`,
    ])
    const before = orders()
    await account.call('PATCH', path, { description: 'the records are there' })
    for (const address of addresses()) await expect.poll(() => textAt(address, target), withinSeconds).not.toBe('')
    await world.until<Named>(account, path, isIssued)
    await expectSameCertificate('device.app.customer.test')
    expect(orders()).toBe(before + 1)
    for (const address of addresses()) await expect.poll(() => textAt(address, target), withinSeconds).toBe('')
  })

  it('a proof over HTTP is answered by whichever of them the authority asks', async () => {
    const domain = (await account.call('POST', '/reserved_domains', { domain: 'www.customer.test' })) as Named
    await world.setCustomerRecords([`www.customer.test. CNAME ${domain.cname_target}.`])
    const path = `/reserved_domains/${domain.id}`
    await account.call('PATCH', path, { description: 'the record is there' })
    expect((await world.until<Named>(account, path, isIssued)).certificate?.id).toMatch(/^cert_/)
    await expectSameCertificate('www.customer.test')
  })

  it.each(['-tls1_2', '-tls1_3'])(
    'a TLS session (%s) begun at one is resumed at the other, under its own name alone',
    async (version) => {
      await using dir = await tempDir()
      const shakeHands = (host: string, servername: string, option: string) => {
        const words = [
          `${host}:${world.edgePorts.https}`,
          '-servername',
          servername,
          version,
          option,
          `${dir.path}/session`,
        ]
        const request = `printf 'GET / HTTP/1.1\\r\\nHost: ${servername}\\r\\nConnection: close\\r\\n\\r\\n'`
        const command = `${request} | openssl s_client -ign_eof -connect ${words.join(' ')} 2>&1 || true`
        return runProcess('sh', ['-c', command])
      }
      await shakeHands(world.publicAddress, 'one.app.customer.test', '-sess_out')
      for (const [servername, expected] of [
        ['one.app.customer.test', 'Reused, TLSv1'],
        ['two.app.customer.test', 'New, TLSv1'],
        ['api.svc.test', 'New, TLSv1'],
      ] as const)
        expect(await shakeHands(world.secondAddress, servername, '-sess_in')).toContain(expected)
    },
  )

  it('when the one that looks after certificates dies in the middle of an order, the other takes over: one certificate, no proof left', async () => {
    const domain = (await account.call('POST', '/reserved_domains', { domain: '*.late.customer.test' })) as Named
    const path = `/reserved_domains/${domain.id}`
    const target = domain.acme_challenge_cname_target ?? ''
    await world.setCustomerRecords([
      `*.late.customer.test. CNAME ${domain.cname_target}.`,
      `_acme-challenge.late.customer.test. CNAME ${target}.`,
    ])
    await account.call('PATCH', path, { description: 'the records are there' })
    await expect.poll(() => textAt(world.secondAddress, target), { timeout: 20_000, interval: 20 }).not.toBe('')
    const before = orders()
    world.service.process.signal('SIGKILL')
    await world.service.process.exited
    await expect.poll(orders, { timeout: 20_000, interval: 50 }).toBe(before + 1)
    // The name server that died may have cost this order its proof; with both there again nothing stands in the way.
    await world.startService()
    await account.call('PATCH', path, { description: 'both are there again' })
    await world.until<Named>(account, path, isIssued)
    await expect.poll(() => textAt(world.secondAddress, target), withinSeconds).toBe('')
    await expectSameCertificate('x.late.customer.test')
    const { tls_certificates } = (await account.call('GET', '/tls_certificates')) as { tls_certificates: Named[] }
    expect(tls_certificates).toHaveLength(3)
  })
})
