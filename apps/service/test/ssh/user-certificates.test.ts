import { decodeCertificate } from '@tunnel/ssh-certificates'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, type TestApi, startTestApi } from '../api/api-harness.ts'
import { edPublicKey } from './keys.ts'

const path = '/ssh_user_certificates'

let api: TestApi
let client: Client
let authorityId: string
beforeAll(async () => {
  api = await startTestApi()
  client = await api.newClient()
  authorityId = (await client.create('/ssh_certificate_authorities', { private_key_type: 'ecdsa' })).id
})
afterAll(() => api[Symbol.asyncDispose]())

function order(changes: object = {}): Record<string, unknown> {
  return { ssh_certificate_authority_id: authorityId, public_key: edPublicKey, ...changes }
}

it('is valid for a day with a terminal, unless told otherwise', async () => {
  const created = await client.create(path, order({ principals: ['Ann', 'ann@example.com'] }))
  expect(created).toMatchObject({
    id: expect.stringMatching(/^sucrt_/),
    principals: ['Ann', 'ann@example.com'],
    critical_options: {},
    extensions: { 'permit-pty': '', 'permit-user-rc': '' },
    valid_after: created['created_at'],
  })
  const lifeMs = Date.parse(String(created['valid_until'])) - Date.parse(String(created['valid_after']))
  expect(lifeMs).toBe(24 * 3600 * 1000)
  expect((await client.send('GET', `${path}/${created.id}`)).body).toEqual(created)
})

it('holds the options that it was asked for', async () => {
  const critical_options = { 'source-address': '10.0.0.0/8,::1', 'force-command': 'uptime' }
  const extensions = { 'permit-port-forwarding': '', 'note@example.com': 'x' }
  const created = await client.create(path, order({ critical_options, extensions }))
  expect(created).toMatchObject({ critical_options, extensions })
  expect(decodeCertificate(String(created['certificate']))).toMatchObject({
    type: 'user',
    keyId: created.id,
    principals: [],
    criticalOptions: critical_options,
    extensions,
  })
})

it.each([
  ['an authority that does not exist', 1951, { ssh_certificate_authority_id: `sshca_${'0'.repeat(27)}` }],
  ['an end at its start', 1962, { valid_after: '2026-01-01T00:00:00Z', valid_until: '2026-01-01T00:00:00Z' }],
  ['no public key', 1952, { public_key: '' }],
  ['a description of 256 bytes', 1947, { description: 'x'.repeat(256) }],
  ['metadata of 4097 bytes', 1948, { metadata: 'x'.repeat(4097) }],
  ['a principal with a blank', 215, { principals: ['a b'] }],
  ['a principal with a line break', 215, { principals: ['a\nroot'] }],
  ['a forced command without a command', 215, { critical_options: { 'force-command': '' } }],
  ['a source address that is none', 215, { critical_options: { 'source-address': '10.0.0.0/33' } }],
  ['an option without a name', 215, { extensions: { '': 'x' } }],
  ['an option with NUL', 215, { extensions: { a: 'x\0y' } }],
  ['33 options', 215, { extensions: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`o${n}`, ''])) }],
  ['an option that is no text', 215, { extensions: { a: 1 } }],
])('is refused with %s (%i)', async (_, code, changes) => {
  const refused = await client.send('POST', path, order(changes))
  expect(refused).toMatchObject({ status: 400, body: { error_code: `ERR_SERVICE_${code}` } })
})
