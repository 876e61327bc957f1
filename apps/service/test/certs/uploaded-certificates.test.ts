import { generateKeyPairSync, type KeyObject, type webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:tls'
import { startService, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '../../src/certs/x509.ts'
import { examine } from '../../src/doctor/doctor.ts'
import { type Client, startTestApi, type TestApi } from '../api/api-harness.ts'

interface Pair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const
const ecdsa = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' } as const
const dayMs = 86_400_000
const newPair = (): Pair => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keys = { root: newPair(), middle: newPair(), leaf: newPair(), other: newPair() }
const weakKey = generateKeyPairSync('rsa', { modulusLength: 1_024 })
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2_048 })

interface Wanted {
  readonly name: string
  readonly pair: Pair
  readonly issuer: string
  readonly signer: Pair
  readonly algorithm?: typeof ecdsa | typeof rsa
  readonly days?: number
  readonly host?: string
  readonly isAuthority?: boolean
}

async function certificate(wanted: Wanted): Promise<string> {
  const { name, pair, issuer, signer, algorithm = ecdsa, days = 90, host = 'shop.dev', isAuthority = false } = wanted
  const made = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: `CN=${issuer}`,
    notAfter: new Date(Date.now() + days * dayMs),
    publicKey: pair.publicKey.toCryptoKey(algorithm, true, ['verify']) satisfies webcrypto.CryptoKey,
    signingKey: signer.privateKey.toCryptoKey(algorithm, true, ['sign']) satisfies webcrypto.CryptoKey,
    signingAlgorithm: algorithm,
    extensions: [
      new SubjectAlternativeNameExtension([{ type: 'dns', value: host }]),
      ...(isAuthority ? [new BasicConstraintsExtension(true, undefined, true)] : []),
    ],
  })
  return `${made.toString('pem')}\n`
}

const pemOf = ({ privateKey }: Pair): string => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const selfSigned = (pair: Pair, more: Partial<Wanted> = {}): Promise<string> =>
  certificate({ name: 'shop.dev', pair, issuer: 'shop.dev', signer: pair, ...more })
const leaf = await certificate({ name: 'shop.dev', pair: keys.leaf, issuer: 'Middle', signer: keys.middle })
const authority = { issuer: 'Root', signer: keys.root, isAuthority: true }
const middle = await certificate({ name: 'Middle', pair: keys.middle, ...authority })
const root = await certificate({ name: 'Root', pair: keys.root, ...authority })
/** Bears the name of the issuer, but another key. */
const impostor = await certificate({ name: 'Middle', pair: keys.other, ...authority })
const rsaLeaf = await selfSigned(rsaKey, { algorithm: rsa })
const weakLeaf = await selfSigned(weakKey, { algorithm: rsa })

let api: TestApi
let client: Client
beforeAll(async () => {
  api = await startTestApi()
  client = await api.newClient()
})
afterAll(() => api[Symbol.asyncDispose]())

const upload = (chain: string, key: string) =>
  client.send('POST', '/tls_certificates', { certificate_pem: chain, private_key_pem: key })

it.each([
  ['the chain backwards', middle + leaf, pemOf(keys.leaf), 1923],
  ['the root before the middle', leaf + root + middle, pemOf(keys.leaf), 1926],
  ['a gap in the chain', leaf + root, pemOf(keys.leaf), 1926],
  ['an issuer of the right name that did not sign', leaf + impostor, pemOf(keys.leaf), 1926],
  ['the key of another certificate', leaf, pemOf(keys.other), 1923],
  ['a key of another type', rsaLeaf, pemOf(keys.leaf), 1923],
  ['a key that TLS finds too weak', weakLeaf, pemOf(weakKey), 1904],
  ['an RSA key of 1024 bits in place of a certificate', pemOf(weakKey), pemOf(weakKey), 1925],
])('%s is refused at the upload, and nothing is stored', async (_case, chain, key, code) => {
  expect((await upload(chain, key)).body.error_code).toBe(`ERR_SERVICE_${code}`)
  expect((await client.send('GET', '/tls_certificates')).body['tls_certificates']).toEqual([])
})

it('the chain with and without its root, and RSA, are taken', async () => {
  for (const [chain, key] of [
    [leaf, keys.leaf],
    [leaf + middle, keys.leaf],
    [leaf + middle + root, keys.leaf],
    [rsaLeaf, rsaKey],
  ] as const) {
    const { status, body } = await upload(chain, pemOf(key))
    expect(status).toBe(201)
    expect((await client.send('DELETE', `/tls_certificates/${body.id}`)).status).toBe(204)
  }
})

it('the doctor names uploaded certificates that end soon, and only those in use', async () => {
  const soon = await upload(await selfSigned(keys.leaf, { days: 10 }), pemOf(keys.leaf))
  const later = await upload(await selfSigned(keys.leaf, { days: 60 }), pemOf(keys.leaf))
  const finding = async () => {
    const findings = await examine(readConfig({ SERVICE_DATA_DIR: api.dataDir, SERVICE_DNS_LISTEN: 'off' }))
    return findings.find(({ check }) => check === 'uploaded certificates')
  }
  const { id } = await client.create('/reserved_domains', { domain: 'later.dev', certificate_id: later.body.id })
  expect(await finding()).toMatchObject({ state: 'ok' })
  await client.send('PATCH', `/reserved_domains/${id}`, { certificate_id: soon.body.id })
  expect(await finding()).toMatchObject({
    state: 'failed',
    text: expect.stringContaining(`shop.dev (${soon.body.id} of ${client.accountId})`) as string,
  })
})

it('an uploaded certificate is served with its chain, the closest name first, and exchanged for new handshakes', async () => {
  await using dir = await tempDir()
  await using service = await startService({ dataDir: dir.path })
  const account = await service.createAccount()
  const issue = async (host: string) => {
    const own = await certificate({ name: host, pair: keys.leaf, issuer: 'Middle', signer: keys.middle, host })
    const body = { certificate_pem: own + middle, private_key_pem: pemOf(keys.leaf) }
    const { id } = (await account.call('POST', '/tls_certificates', body)) as { id: string }
    return { id, serial: new X509Certificate(own).serialNumber.toUpperCase() }
  }
  const reserve = async (domain: string, certificate_id: string) =>
    ((await account.call('POST', '/reserved_domains', { domain, certificate_id })) as { id: string }).id
  /** Who trusts the root alone must be given the one in the middle. */
  const shown = async (servername: string): Promise<string> => {
    const socket = connect({ port: service.ports.edgeHttps, host: '127.0.0.1', servername, ca: root })
    await once(socket, 'secureConnect')
    const { serialNumber } = socket.getPeerCertificate()
    socket.destroy()
    return serialNumber
  }

  const [wild, own, next] = [await issue('*.shop.dev'), await issue('a.shop.dev'), await issue('a.shop.dev')]
  await reserve('*.shop.dev', wild.id)
  const id = await reserve('a.shop.dev', own.id)
  expect([await shown('a.shop.dev'), await shown('b.shop.dev')]).toEqual([own.serial, wild.serial])
  await account.call('PATCH', `/reserved_domains/${id}`, { certificate_id: next.id })
  await expect.poll(() => shown('A.Shop.Dev')).toBe(next.serial)
  await account.call('DELETE', `/reserved_domains/${id}`)
  await expect.poll(() => shown('a.shop.dev')).toBe(wild.serial)
  await expect(shown('other.dev')).rejects.toThrow('certificate')
})
