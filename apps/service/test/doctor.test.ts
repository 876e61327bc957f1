import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasPrograms, loopbackAddress, startNameServer, startPebble, startRecursor, tempDir } from '@tunnel/testkit'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config.ts'
import { Authority } from '../src/dns/authority.ts'
import { startDnsServer } from '../src/dns/dns-server.ts'
import { examine } from '../src/doctor/doctor.ts'

const mayRun = process.getuid?.() === 0 && hasPrograms('pebble', 'unbound', 'openssl', 'curl')

/** The records of an advice, as one would type them. */
function linesOf(text = ''): string[] {
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
}

describe.skipIf(!mayRun)('the doctor', { timeout: 60_000 }, () => {
  it('says what to put at the registrar, and is content when it is there', async () => {
    await using stack = new AsyncDisposableStack()
    const [publicAddress, registryAddress] = [loopbackAddress(), loopbackAddress()]
    const { path: dir } = stack.use(await tempDir())
    const recursor = stack.use(await startRecursor({ test: registryAddress }))
    const pebble = stack.use(await startPebble({ dnsPort: recursor.port }))
    await writeFile(join(dir, 'ca.pem'), pebble.apiCaPem)
    const config = readConfig({
      SERVICE_DATA_DIR: dir,
      SERVICE_ZONE: 'svc.test',
      SERVICE_PUBLIC_IPS: publicAddress,
      SERVICE_DNS_LISTEN: `${publicAddress}:53`,
      SERVICE_DNS_RESOLVERS: `127.0.0.1:${recursor.port}`,
      SERVICE_ACME_DIRECTORY: pebble.directoryUrl,
      SERVICE_ACME_CA_FILE: join(dir, 'ca.pem'),
    })
    const statesBy = async () => new Map((await examine(config)).map(({ check, ...finding }) => [check, finding]))

    const registry = await startNameServer(registryAddress, { 'test.': [] })
    const before = await statesBy()
    const advice = [
      'svc.test.      NS    ns1.svc.test.',
      'svc.test.      NS    ns2.svc.test.',
      `ns1.svc.test.  A     ${publicAddress}`,
      `ns2.svc.test.  A     ${publicAddress}`,
    ]
    expect(before.get('delegation')?.state).toBe('failed')
    expect(linesOf(before.get('delegation')?.text)).toEqual(advice)
    expect(before.get('names')?.text).toContain('connect.svc.test resolves to nothing')
    expect(before.get(`port 53 at ${publicAddress}`)?.state).toBe('failed')
    expect(before.get(`port 443 at ${publicAddress}`)?.state).toBe('failed')
    await registry[Symbol.asyncDispose]()

    const other = await startNameServer(registryAddress, {
      'test.': ['svc.test. NS ns1.svc.test.', 'svc.test. NS ns.old.test.', 'ns1.svc.test. A 192.0.2.9'],
    })
    const wrong = await statesBy()
    expect(wrong.get('delegation')?.text).toContain('ns.old.test')
    expect(wrong.get('glue')?.text).toContain('gives out 192.0.2.9')
    expect(linesOf(wrong.get('glue')?.text)).toEqual(advice.slice(2))
    await other[Symbol.asyncDispose]()

    const glue = ['ns1.svc.test.', 'ns2.svc.test.'].flatMap((name) => [
      `svc.test. NS ${name}`,
      `${name} A ${publicAddress}`,
    ])
    stack.use(await startNameServer(registryAddress, { 'test.': glue }))
    const authority = new Authority({
      domain: 'svc.test',
      publicIps: [publicAddress],
      nowSeconds: () => Date.now() / 1_000,
    })
    const listen = { host: publicAddress, port: 53 }
    stack.use(
      await startDnsServer({
        zones: authority.zones,
        listen,
        nowMs: () => performance.now(),
        onFailure: (error) => expect.fail(String(error)),
      }),
    )
    const after = await statesBy()
    const healthy = [
      'store',
      'certificates',
      'public addresses',
      'delegation',
      'glue',
      `port 53 at ${publicAddress}`,
      'certificate authority',
      'clock',
      'CAA',
    ]
    expect(healthy.map((check) => [check, after.get(check)?.state])).toEqual(healthy.map((check) => [check, 'ok']))
  })
})
