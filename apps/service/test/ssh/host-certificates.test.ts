import { decodeCertificate, isSignedBy, parsePublicKey } from '@tunnel/ssh-certificates'
import { badPublicKeys } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, type TestApi, type WireBody, engines, startTestApi } from '../api/api-harness.ts'
import { edPublicKey } from './keys.ts'

const path = '/ssh_host_certificates'

let api: TestApi
let client: Client
let authority: WireBody
beforeAll(async () => {
  api = await startTestApi(engines.at(-1))
  client = await api.newClient()
  authority = await client.create('/ssh_certificate_authorities')
})
afterAll(() => api[Symbol.asyncDispose]())

function order(changes: object = {}): Record<string, unknown> {
  return { ssh_certificate_authority_id: authority.id, public_key: edPublicKey, ...changes }
}

it('is valid from its creation for one year, for every host, unless told otherwise', async () => {
  const created = await client.create(path, order())
  const createdAt = String(created['created_at'])
  expect(created).toEqual({
    id: expect.stringMatching(/^shcrt_[0-9A-Za-z]{27}$/),
    uri: `http://api.example.com${path}/${created.id}`,
    created_at: createdAt,
    ssh_certificate_authority_id: authority.id,
    public_key: edPublicKey,
    key_type: 'ed25519',
    principals: [],
    valid_after: createdAt,
    valid_until: `${Number(createdAt.slice(0, 4)) + 1}${createdAt.slice(4)}`,
    certificate: expect.stringMatching(
      new RegExp(String.raw`^ssh-ed25519-cert-v01@openssh\.com [A-Za-z0-9+/]+=* ${created.id}$`),
    ),
  })
  expect((await client.send('GET', `${path}/${created.id}`)).body).toEqual(created)
})

it('says in its blob what the resource says, signed by the authority', async () => {
  const principals = ['Router.Example.com.', '2001:DB8:0::1', '10.0.0.1']
  const validity = { valid_after: '2026-01-01T00:30:00.9+01:00', valid_until: '2027-01-01T00:00:00Z' }
  const created = await client.create(path, order({ principals, ...validity, description: 'd', metadata: 'm' }))
  expect(created).toMatchObject({
    principals: ['router.example.com', '2001:db8::1', '10.0.0.1'],
    valid_after: '2025-12-31T23:30:00Z',
    valid_until: '2027-01-01T00:00:00Z',
    description: 'd',
    metadata: 'm',
  })
  const decoded = decodeCertificate(String(created['certificate']))
  expect(decoded).toMatchObject({
    type: 'host',
    publicKey: parsePublicKey(edPublicKey),
    serial: 0n,
    keyId: created.id,
    principals: created['principals'],
    validAfter: BigInt(Date.parse('2025-12-31T23:30:00Z') / 1000),
    validBefore: BigInt(Date.parse('2027-01-01T00:00:00Z') / 1000),
    criticalOptions: {},
    extensions: {},
  })
  expect(decoded.nonce).toHaveLength(32)
  expect(isSignedBy(decoded, parsePublicKey(String(authority['public_key'])))).toBe(true)
})

it.each([
  ['an authority that does not exist', 1949, { ssh_certificate_authority_id: `sshca_${'0'.repeat(27)}` }],
  ['the id of something else', 227, { ssh_certificate_authority_id: `shcrt_${'0'.repeat(27)}` }],
  ['no authority', 215, { ssh_certificate_authority_id: '' }],
  ['no public key', 1952, { public_key: undefined }],
  ['a start that is no timestamp', 241, { valid_after: '2026-02-30T00:00:00Z' }],
  ['an end before 1970', 241, { valid_until: '1969-12-31T23:59:59Z' }],
  ['an end at its start', 1963, { valid_after: '2026-01-01T00:00:00Z', valid_until: '2026-01-01T00:00:00.9Z' }],
  ['a start after its end', 1963, { valid_after: '2999-01-01T00:00:00Z' }],
  ['an empty principal', 215, { principals: ['a', ''] }],
  ['a principal with a port', 215, { principals: ['router:22'] }],
  ['a principal with a comma', 215, { principals: ['a,b'] }],
  ['a principal of 256 bytes', 215, { principals: ['a'.repeat(256)] }],
  ['257 principals', 215, { principals: Array.from({ length: 257 }, (_, n) => `h${n}`) }],
  ['a description of 256 bytes', 1945, { description: 'x'.repeat(256) }],
  ['metadata of 4097 bytes', 1946, { metadata: 'x'.repeat(4097) }],
  ['critical options', 214, { critical_options: {} }],
])('is refused with %s (%i)', async (_, code, changes) => {
  const refused = await client.send('POST', path, order(changes))
  expect(refused).toMatchObject({ status: 400, body: { error_code: `ERR_SERVICE_${code}` } })
})

it('takes a description and metadata of the longest, and 256 principals', async () => {
  const texts = { description: 'x'.repeat(255), metadata: 'é'.repeat(2048) }
  const principals = Array.from({ length: 256 }, (_, n) => `host-${n}.example.com`)
  const created = await client.create(path, order({ ...texts, principals }))
  expect(created).toMatchObject({ ...texts, principals })
})

it('changes its texts and nothing else', async () => {
  const created = await client.create(path, order({ description: 'a', metadata: 'm' }))
  const changed = await client.send('PATCH', `${path}/${created.id}`, { description: 'b', metadata: '' })
  const { metadata: _, ...rest } = created
  expect(changed.body).toEqual({ ...rest, description: 'b' })
  for (const field of ['principals', 'public_key', 'valid_until', 'certificate'])
    expect((await client.send('PATCH', `${path}/${created.id}`, { [field]: created[field] })).body.error_code).toBe(
      'ERR_SERVICE_214',
    )
})

// An empty text is no field at all for the API: 'no public key' above.
describe('a public key that is none', () => {
  const unsupported = ['certificate', 'hardware_key', 'dsa', 'unknown_type', 'rsa_too_small', 'rsa_too_large']

  function codeOf(mistake: string): number {
    if (mistake === 'missing') return 1952
    return unsupported.includes(mistake) ? 1950 : 1934
  }

  it.each(badPublicKeys.filter(([, text]) => text !== ''))(
    'is refused with its own error; nothing is stored and none of it comes back: %s',
    async (...row) => {
      const [, text, mistake] = row
      const caller = await api.newClient()
      const { id } = await caller.create('/ssh_certificate_authorities')
      const refused = await caller.send('POST', path, { ssh_certificate_authority_id: id, public_key: text })
      expect(refused).toMatchObject({ status: 400, body: { error_code: `ERR_SERVICE_${codeOf(mistake)}` } })
      expect(refused.body.details).toMatchObject({ field: 'public_key', mistake })
      expect(refused.body.msg).toContain('public_key')
      expect((await caller.send('GET', path)).body[path.slice(1)]).toEqual([])
      for (const word of text.split(/\s+/).filter((part) => part.length > 24))
        expect(JSON.stringify(refused.body)).not.toContain(word)
    },
  )
})
