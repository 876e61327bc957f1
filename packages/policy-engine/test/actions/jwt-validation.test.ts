import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type GenerateKeyPairResult,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { compile, oneAction, problemsOf, RecordingHost, runRequest, type Sample } from '../harness.ts'

const config = '$.inbound[0].actions[0].config'
const issuer = 'https://login.example.com/'
const source = 'https://login.example.com/keys'

let keys: GenerateKeyPairResult
let otherKeys: GenerateKeyPairResult
let keySet: unknown
let publicPem: string

beforeAll(async () => {
  keys = await generateKeyPair('RS256', { extractable: true })
  otherKeys = await generateKeyPair('RS256', { extractable: true })
  keySet = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256' }] }
  publicPem = await exportSPKI(keys.publicKey)
})

const base = {
  issuer: { allow_list: [{ value: issuer }] },
  audience: { allow_list: [{ value: 'api' }] },
  http: { tokens: [{ type: 'jwt', method: 'header', name: 'Authorization', prefix: 'Bearer ' }] },
  jws: { allowed_algorithms: ['RS256'], keys: { sources: { additional_jkus: [source] } } },
}
const jwt = (fields: object = {}) => oneAction('jwt-validation', { ...base, ...fields })

class KeyHost extends RecordingHost {
  readonly fetched: string[] = []
  override fetchKeySet = async (url: string): Promise<unknown> => {
    this.fetched.push(url)
    return keySet
  }
}

function sign(
  host: RecordingHost,
  claims: JWTPayload = {},
  header: Partial<JWTHeaderParameters> = {},
  key = keys.privateKey,
): Promise<string> {
  const seconds = Math.floor(host.nowMs / 1000)
  const payload = { iss: issuer, aud: 'api', sub: 'anna', exp: seconds + 60, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header }).sign(key)
}

async function status(
  token: string,
  host: RecordingHost = new KeyHost(),
  fields: object = {},
  sample: Sample = {},
): Promise<number | undefined> {
  const { outcome } = await runRequest(compile(jwt(fields), host), {
    headers: { authorization: `Bearer ${token}` },
    ...sample,
  })
  return outcome?.kind === 'respond' ? outcome.status : undefined
}

describe('jwt-validation', () => {
  it('lets a good token through, and later rules read its claims', async () => {
    const host = new KeyHost()
    const claims = {
      expressions: ["actions.service.jwt_validation.tokens[0].claims.sub == 'anna'"],
      actions: [{ type: 'deny', config: { status_code: 418 } }],
    }
    const policy = compile({ inbound: [{ actions: [{ type: 'jwt-validation', config: base }] }, claims] }, host)
    expect(
      (await runRequest(policy, { headers: { authorization: `bearer ${await sign(host)}` } })).outcome,
    ).toMatchObject({ status: 418 })
  })

  it.each([
    ['expired', { exp: 1 }],
    ['without an end', { exp: undefined }],
    ['not valid yet', { nbf: 4_000_000_000 }],
    ['from another issuer', { iss: 'https://login.example.com' }],
    ['for another audience', { aud: 'web' }],
  ])('refuses a token that is %s', async (_what, claims) => {
    const host = new KeyHost()
    expect(await status(await sign(host, claims as JWTPayload), host)).toBe(401)
  })

  it('refuses other keys, foreign jku and jwk headers, and unknown key ids', async () => {
    const host = new KeyHost()
    const evil = otherKeys.privateKey
    const jwk = await exportJWK(otherKeys.publicKey)
    expect(await status(await sign(host, {}, {}, evil), host)).toBe(401)
    expect(await status(await sign(host, {}, { jku: 'https://evil.example/keys' }, evil), host)).toBe(401)
    expect(await status(await sign(host, {}, { jwk, kid: 'k2' }, evil), host)).toBe(401)
    expect(host.fetched.every((url) => url === source)).toBe(true)
  })

  it('refuses unsigned tokens and a public key used as a shared secret', async () => {
    const host = new KeyHost()
    const unsigned = new UnsecuredJWT({ iss: issuer, aud: 'api', exp: 4_000_000_000 }).encode()
    const confused = await new SignJWT({ iss: issuer, aud: 'api', exp: 4_000_000_000 })
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(Buffer.from(publicPem))
    expect(await status(unsigned, host)).toBe(401)
    expect(await status(confused, host)).toBe(401)
  })

  it.each(['', 'x', 'a.b.c', '...', 'x'.repeat(20_000)])('refuses the garbage %#', async (token) =>
    expect(await status(token)).toBe(401),
  )

  it('tries every key for a token without a key id', async () => {
    const host = new KeyHost()
    const publicKeys = [otherKeys.publicKey, keys.publicKey]
    host.fetchKeySet = async () => ({ keys: await Promise.all(publicKeys.map((key) => exportJWK(key))) })
    const token = await new SignJWT({ iss: issuer, aud: 'api', exp: 4_000_000_000 })
      .setProtectedHeader({ alg: 'RS256' })
      .sign(keys.privateKey)
    expect(await status(token, host)).toBeUndefined()
  })

  it('refuses a missing and a doubled header', async () => {
    const host = new KeyHost()
    const token = `Bearer ${await sign(host)}`
    expect(await status('', host, {}, { headers: {} })).toBe(401)
    expect(
      await status(
        '',
        host,
        {},
        {
          headers: [
            ['authorization', token],
            ['authorization', token],
          ],
        },
      ),
    ).toBe(401)
  })

  it('never reads query parameters', async () => {
    const host = new KeyHost()
    const token = await sign(host)
    expect(
      await status(
        '',
        host,
        {},
        { headers: {}, url: `https://a.example/?access_token=${token}&Authorization=${token}` },
      ),
    ).toBe(401)
  })

  it('reads a token from a JSON or form body', async () => {
    const host = new KeyHost()
    const fields = { http: { tokens: [{ type: 'jwt', method: 'body', name: 'token' }] } }
    const token = await sign(host)
    expect(await status('', host, fields, { method: 'POST', body: JSON.stringify({ token }) })).toBeUndefined()
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: `token=${token}` }
    expect(await status('', host, fields, { method: 'POST', ...form })).toBeUndefined()
    expect(await status('', host, fields, { method: 'POST', ...form, body: `token=${token}&token=x` })).toBe(401)
    expect(await status('', host, fields, { method: 'POST', body: 'x'.repeat(70_000) })).toBe(500)
  })

  it('wants the type that it is told, where tokens carry one', async () => {
    const host = new KeyHost()
    const fields = { http: { tokens: [{ ...base.http.tokens[0], type: 'at+jwt' }] } }
    expect(await status(await sign(host), host, fields)).toBe(401)
    expect(await status(await sign(host, {}, { typ: 'at+jwt' }), host, fields)).toBeUndefined()
  })

  it('fetches keys once in fifteen minutes, and for unknown keys at most every half minute', async () => {
    const host = new KeyHost()
    const good = await sign(host)
    const unknown = await sign(host, {}, { kid: 'k9' }, otherKeys.privateKey)
    await status(good, host)
    await status(good, host)
    await status(unknown, host)
    expect(host.fetched).toHaveLength(1)
    host.nowMs += 31_000
    await status(unknown, host)
    await status(unknown, host)
    expect(host.fetched).toHaveLength(2)
    host.nowMs += 15 * 60_000
    await status(good, host)
    expect(host.fetched).toHaveLength(3)
  })

  it('refuses the request while there are no keys, and keeps good ones through an outage', async () => {
    const host = new KeyHost()
    const { fetchKeySet } = host
    host.fetchKeySet = () => Promise.reject(new Error('no route'))
    expect(await status(await sign(host), host)).toBe(500)
    host.fetchKeySet = fetchKeySet
    const later = new KeyHost()
    expect(await status(await sign(later), later)).toBeUndefined()
    later.fetchKeySet = () => Promise.reject(new Error('no route'))
    later.nowMs += 20 * 60_000
    expect(await status(await sign(later), later)).toBeUndefined()
  })

  const keySetAt = (url: string) => ({ jws: { ...base.jws, keys: { sources: { additional_jkus: [url] } } } })

  it.each<[object, string, string]>([
    [{ jws: { ...base.jws, allowed_algorithms: ['none'] } }, 'jws.allowed_algorithms[0]', 'out_of_range'],
    [{ jws: { ...base.jws, allowed_algorithms: ['HS256'] } }, 'jws.allowed_algorithms[0]', 'out_of_range'],
    [{ jws: { ...base.jws, allowed_algorithms: [] } }, 'jws.allowed_algorithms', 'missing_field'],
    [{ issuer: { allow_list: [] } }, 'issuer.allow_list', 'missing_field'],
    [{ issuer: undefined }, 'issuer', 'missing_field'],
    [{ http: { tokens: [] } }, 'http.tokens', 'missing_field'],
    [{ http: { tokens: [{ ...base.http.tokens[0], method: 'query' }] } }, 'http.tokens[0].method', 'out_of_range'],
  ])('refuses the configuration %j', (fields, path, code) => {
    expect(problemsOf(jwt(fields))).toContainEqual(expect.objectContaining({ path: `${config}.${path}`, code }))
  })

  it.each([
    'http://keys.example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fe80::1%25lo]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://intranet./',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://2130706433/',
    'https://127.1./',
    'https://u@keys.example.com/',
    'x',
  ])('refuses keys from %s', (url) => {
    const path = `${config}.jws.keys.sources.additional_jkus[0]`
    expect(problemsOf(jwt(keySetAt(url)))).toContainEqual(expect.objectContaining({ path, code: 'invalid_url' }))
  })

  it('takes keys as a list too', () => {
    expect(problemsOf(jwt({ jws: { ...base.jws, keys: [base.jws.keys] } }))).toEqual([])
  })
})
