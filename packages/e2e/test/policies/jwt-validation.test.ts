import { createHmac, generateKeyPairSync, type KeyPairKeyObjectResult, sign } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../src/eventually.ts'
import { throwAwayCertificate } from '../../src/throw-away-certificate.ts'
import { PolicyFixture } from './policy-fixture.ts'

const issuer = 'https://login.example.com/'
const newKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** An identity provider inside of the operator's network: a key set over https, with a certificate of its own authority. */
class IdentityProvider implements AsyncDisposable {
  readonly #parts = new AsyncDisposableStack()
  keys: Record<string, KeyPairKeyObjectResult> = { k1: newKeys() }
  fetches = 0
  port = 0
  caFile = ''

  static async start(): Promise<IdentityProvider> {
    const provider = new IdentityProvider()
    const { path } = provider.#parts.use(await tempDir())
    const { certificate, key } = await throwAwayCertificate('localhost', true)
    provider.caFile = join(path, 'ca.pem')
    await writeFile(provider.caFile, certificate)
    const server = createServer({ cert: certificate, key }, ({ url }, response) => {
      provider.fetches += 1
      if (url === '/moved') response.writeHead(302, { location: '/keys' })
      const padding = url === '/large' ? ' '.repeat(300_000) : ''
      response.end(url === '/text' ? 'no keys' : padding + JSON.stringify(provider.#keySet()))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    provider.port = (server.address() as AddressInfo).port
    provider.#parts.defer(() => {
      server.close()
      server.closeAllConnections()
    })
    return provider
  }

  /** Signed by the key of this name, unless another is given. */
  token(claims: object = {}, header: object = {}, kid = 'k1', key = this.keys[kid]?.privateKey): string {
    const expiry = Math.floor(Date.now() / 1000) + 60
    const input = `${encode({ alg: 'RS256', kid, ...header })}.${encode({ iss: issuer, aud: 'api', sub: 'anna', exp: expiry, ...claims })}`
    return `${input}.${sign('sha256', Buffer.from(input), key ?? '').toString('base64url')}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync()
  }

  #keySet(): object {
    const entries = Object.entries(this.keys)
    return {
      keys: entries.map(([kid, { publicKey }]) => ({ ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256' })),
    }
  }
}

/** Every program is real: key server, service, agent, upstream and curl. Tokens are made without the library that checks them. */
describe('jwt-validation with the keys of an internal identity provider', () => {
  let provider: IdentityProvider
  let product: PolicyFixture
  let domain: string
  beforeAll(async () => {
    provider = await IdentityProvider.start()
    product = await PolicyFixture.start({
      NODE_EXTRA_CA_CERTS: provider.caFile,
      SERVICE_POLICY_PRIVATE_HOSTS: 'localhost',
    })
    domain = (await product.createTunnel('guarded', { policy: policyWith('/keys') })).domain
  })
  afterAll(async () => {
    await product[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })

  function policyWith(path: string, host = 'localhost') {
    const keySet = `https://${host}:${provider.port}${path}`
    const validation = {
      issuer: { allow_list: [{ value: issuer }] },
      audience: { allow_list: [{ value: 'api' }] },
      http: { tokens: [{ type: 'jwt', method: 'header', name: 'Authorization', prefix: 'Bearer ' }] },
      jws: { allowed_algorithms: ['RS256'], keys: { sources: { additional_jkus: [keySet] } } },
    }
    const user = { 'x-user': '${actions.service.jwt_validation.tokens[0].claims.sub}' }
    return {
      inbound: [
        { actions: [{ type: 'jwt-validation', config: validation }] },
        { actions: [{ type: 'add-headers', config: { headers: user } }] },
      ],
    }
  }

  const withToken = (token: string) => ['-H', `authorization: Bearer ${token}`]
  const statusFor = async (token: string) => (await product.visit(domain, '/request', ...withToken(token))).status

  it('a good token gets in, and the upstream learns whose it is', async () => {
    const { visit, headers } = await product.seenBy(domain, '/request', ...withToken(provider.token()))
    expect([visit.status, headers['x-user']]).toEqual([200, 'anna'])
    expect(await statusFor(provider.token())).toBe(200)
    expect(provider.fetches).toBe(1)
  })

  it('every other token is refused', async () => {
    const { publicKey } = provider.keys['k1'] ?? newKeys()
    const [, claims = ''] = provider.token().split('.')
    const refused = {
      'for another audience': provider.token({ aud: 'web' }),
      'from another issuer': provider.token({ iss: 'https://login.example.com' }),
      expired: provider.token({ exp: Math.floor(Date.now() / 1000) - 5 }),
      'not valid yet': provider.token({ nbf: Math.floor(Date.now() / 1000) + 60 }),
      'without an end': provider.token({ exp: undefined }),
      unsigned: `${encode({ alg: 'none' })}.${claims}.`,
      'of another key': provider.token({}, {}, 'k1', newKeys().privateKey),
      'of an unknown key': provider.token({}, {}, 'k9', newKeys().privateKey),
      'with keys of its own': provider.token({}, { jku: 'https://evil.example/keys' }, 'k1', newKeys().privateKey),
      'changed after signing': provider
        .token()
        .replace(/\.[^.]+\./, `.${encode({ iss: issuer, aud: 'api', sub: 'root', exp: 9_999_999_999 })}.`),
      'signed with the public key as a secret': hmacToken(publicKey.export({ type: 'spki', format: 'pem' })),
      garbage: 'a.b.c',
    }
    for (const [what, token] of Object.entries(refused)) expect(await statusFor(token), `a token ${what}`).toBe(401)
    const { headers } = await product.visit(domain, '/request', ...withToken('x'))
    expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    expect((await product.visit(domain, `/request?access_token=${provider.token()}`)).status).toBe(401)
  })

  it.each(['moved', 'large', 'text'])('a key set that is %s is none, and without keys nobody gets in', async (what) => {
    const { domain: guarded } = await product.createTunnel(what, { policy: policyWith(`/${what}`) })
    expect((await product.visit(guarded, '/', ...withToken(provider.token()))).status).toBe(500)
  })

  it('a host that the operator has not listed is refused before anything is bound', async () => {
    await expect(product.createTunnel('other', { policy: policyWith('/keys', '127.0.0.1') })).rejects.toThrow(/400/)
    expect((await product.listTunnels()).map((tunnel) => tunnel.domain)).not.toContain(`other.${product.service.zone}`)
  })

  it.runIf(process.env['TEST_LONG'])(
    'a new key counts within half a minute, and the old one no more',
    { timeout: 90_000 },
    async () => {
      const old = provider.token()
      provider.keys = { k2: newKeys() }
      await eventually(async () => expect(await statusFor(provider.token({}, {}, 'k2'))).toBe(200), 40_000)
      expect(await statusFor(old)).toBe(401)
    },
  )
})

function hmacToken(secret: string | Buffer): string {
  const expiry = Math.floor(Date.now() / 1000) + 60
  const input = `${encode({ alg: 'HS256', kid: 'k1' })}.${encode({ iss: issuer, aud: 'api', exp: expiry })}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
