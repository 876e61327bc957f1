import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { hasPrograms, type Pebble, startPebble } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ExternalAccountBinding, openAcmeAccount } from '../../src/certs/acme/acme-account.ts'
import { AcmeClient } from '../../src/certs/acme/acme-client.ts'
import { AcmeTransport } from '../../src/certs/acme/acme-transport.ts'
import { issueCertificate } from '../../src/certs/acme/issue.ts'
import { DnsChallenges } from '../../src/certs/challenges/dns-challenges.ts'
import { HttpChallenges } from '../../src/certs/challenges/http-challenges.ts'
import { Authority } from '../../src/dns/authority.ts'
import { type DnsServer, startDnsServer } from '../../src/dns/dns-server.ts'
import { toWireName } from '../../src/dns/wire-name.ts'

const ingress = {
  domain: 'connect.acme.test',
  nsTargets: ['1.r.ns.svc.test.'],
  regionDomains: ['tunnel.eu.connect.acme.test'],
}
const signal = AbortSignal.timeout(60_000)
const plain = { profile: null, replaces: null } as const

let authority: Authority
let dns: DnsServer

beforeAll(async () => {
  authority = new Authority({ domain: 'svc.test', publicIps: ['127.0.0.1'], nowSeconds: () => Date.now() / 1_000 })
  authority.loadIngress(ingress)
  dns = await startDnsServer({
    zones: authority.zones,
    listen: { host: '127.0.0.1', port: 0 },
    nowMs: () => performance.now(),
    onFailure: (error) => expect.fail(String(error)),
  })
})

afterAll(() => dns[Symbol.asyncDispose]())

function transportTo({ directoryUrl, apiCaPem }: Pick<Pebble, 'directoryUrl' | 'apiCaPem'>): AcmeTransport {
  return new AcmeTransport({ directoryUrl, caPem: apiCaPem, nowMs: Date.now })
}

async function clientOf(
  transport: AcmeTransport,
  externalAccount: ExternalAccountBinding | null = null,
): Promise<AcmeClient> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return new AcmeClient(
    transport,
    await openAcmeAccount(transport, { privateKey, email: 'ops@svc.test', externalAccount }),
  )
}

function dnsPresenter() {
  const challenges = new DnsChallenges({ records: authority, settleMs: 20, nowMs: Date.now })
  return challenges.presenter((name) => `_acme-challenge.${name}`)
}

describe.skipIf(!hasPrograms('pebble', 'openssl', 'curl'))('the ACME client against pebble', () => {
  it.each(['rsa', 'ecdsa'] as const)(
    'issues for an apex, its wildcard and a region name with a key of type %s',
    async (keyType) => {
      await using pebble = await startPebble({ dnsPort: dns.port, refusedNonces: 50 })
      await using transport = transportTo(pebble)
      const names = [ingress.domain, `*.${ingress.domain}`, ...ingress.regionDomains]
      const conversation = { client: await clientOf(transport), presenter: dnsPresenter(), signal }
      const issued = await issueCertificate(conversation, { names, keyType, ...plain })
      const leaf = new X509Certificate(issued.chainPem)
      expect(leaf.subjectAltName?.split(', ').toSorted()).toEqual(names.map((name) => `DNS:${name}`).toSorted())
      expect(leaf.publicKey.asymmetricKeyType).toBe(keyType === 'rsa' ? 'rsa' : 'ec')
    },
  )

  it('issues for a plain name over HTTP, and only answers for the host in question', async () => {
    const challenges = new HttpChallenges()
    const asked: string[] = []
    const web = createServer((request, response) => {
      const token = request.url?.split('/').at(-1) ?? ''
      asked.push(String(challenges.find('other.svc.test', token)))
      response.end(challenges.find('plain.svc.test', token))
    }).listen(0, '127.0.0.1')
    await once(web, 'listening')
    await using pebble = await startPebble({ dnsPort: dns.port, httpPort: (web.address() as AddressInfo).port })
    await using transport = transportTo(pebble)
    const conversation = { client: await clientOf(transport), presenter: challenges.presenter, signal }
    const issued = await issueCertificate(conversation, { names: ['plain.svc.test'], keyType: 'ecdsa', ...plain })
    expect(new X509Certificate(issued.chainPem).checkHost('plain.svc.test')).toBe('plain.svc.test')
    expect(asked).toContain('undefined')
    web.close()
  })

  it('leaves no challenge record behind, neither after success nor after failure', async () => {
    await using pebble = await startPebble({ dnsPort: dns.port })
    await using transport = transportTo(pebble)
    const wrongRecord = new DnsChallenges({ records: authority, settleMs: 20, nowMs: Date.now }).presenter(
      () => `elsewhere.${ingress.domain}`,
    )
    const client = await clientOf(transport)
    const failing = issueCertificate(
      { client, presenter: wrongRecord, signal },
      { names: [ingress.domain], keyType: 'ecdsa', ...plain },
    )
    await expect(failing).rejects.toMatchObject({ step: 'authorization', problem: { type: 'unauthorized' } })
    expect(authority.zones.get(ingress.domain)!.recordsAt(toWireName(`elsewhere.${ingress.domain}`))).toBeUndefined()
  })

  it('binds to an external account, and says which step fails with a wrong key', async () => {
    const hmacKey = randomBytes(32)
    await using pebble = await startPebble({
      dnsPort: dns.port,
      externalAccounts: { 'kid-1': hmacKey.toString('base64url') },
    })
    await using transport = transportTo(pebble)
    await expect(clientOf(transport, { keyId: 'kid-1', hmacKey })).resolves.toBeInstanceOf(AcmeClient)
    await expect(clientOf(transport)).rejects.toMatchObject({
      step: 'account',
      problem: { type: 'externalAccountRequired' },
    })
    await expect(clientOf(transport, { keyId: 'kid-1', hmacKey: randomBytes(32) })).rejects.toMatchObject({
      step: 'account',
    })
  })
})

it('reports an authority that cannot be reached, and recovers by itself', async () => {
  await using transport = transportTo({ directoryUrl: 'https://127.0.0.1:1/dir', apiCaPem: '' })
  await expect(transport.directory()).rejects.toMatchObject({ name: 'AcmeError', step: 'directory', problem: null })
})
