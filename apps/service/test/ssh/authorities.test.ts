import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, type TestApi, startTestApi } from '../api/api-harness.ts'
import { edPublicKey } from './keys.ts'

const authorities = '/ssh_certificate_authorities'
const hosts = '/ssh_host_certificates'

let api: TestApi
let client: Client
beforeAll(async () => {
  api = await startTestApi()
  client = await api.newClient()
})
afterAll(() => api[Symbol.asyncDispose]())

it.each([
  [{}, 'ed25519', /^ssh-ed25519 \S{68}$/],
  [{ private_key_type: '', elliptic_curve: '', key_size: 0 }, 'ed25519', /^ssh-ed25519 \S+$/],
  [{ private_key_type: 'ecdsa' }, 'ecdsa', /^ecdsa-sha2-nistp256 \S+$/],
  [{ private_key_type: 'ecdsa', elliptic_curve: 'p384' }, 'ecdsa', /^ecdsa-sha2-nistp384 \S+$/],
  [{ private_key_type: 'ecdsa', elliptic_curve: 'nistp521' }, 'ecdsa', /^ecdsa-sha2-nistp521 \S+$/],
  [{ private_key_type: 'rsa' }, 'rsa', /^ssh-rsa \S{372}$/],
])('an authority from %j has a key of type %s', async (body, keyType, publicKey) => {
  const created = await client.create(authorities, { ...body, description: 'fleet' })
  expect(created).toEqual({
    id: expect.stringMatching(/^sshca_[0-9A-Za-z]{27}$/),
    uri: `http://api.example.com${authorities}/${created.id}`,
    created_at: expect.any(String),
    description: 'fleet',
    public_key: expect.stringMatching(publicKey),
    key_type: keyType,
  })
  expect((await client.send('GET', `${authorities}/${created.id}`)).body).toEqual(created)
})

it.each([
  ['an unknown key type', 1936, { private_key_type: 'dsa' }],
  ['an RSA key that is too small', 1939, { private_key_type: 'rsa', key_size: 1024 }],
  ['a key size for another type', 1940, { key_size: 2048 }],
  ['an unknown curve', 1941, { private_key_type: 'ecdsa', elliptic_curve: 'p224' }],
  ['a curve for another type', 1942, { private_key_type: 'rsa', elliptic_curve: 'p256' }],
  ['a description of 256 bytes', 1937, { description: 'é'.repeat(128) }],
  ['metadata of 4097 bytes', 1938, { metadata: 'x'.repeat(4097) }],
  ['a key of its own', 214, { public_key: edPublicKey }],
  ['a key size that is no number', 215, { private_key_type: 'rsa', key_size: 'big' }],
])('is refused with %s (%i)', async (_, code, body) => {
  expect((await client.send('POST', authorities, body)).body.error_code).toBe(`ERR_SERVICE_${code}`)
})

it('changes its texts and nothing else', async () => {
  const created = await client.create(authorities, { description: 'a', metadata: 'm' })
  const path = `${authorities}/${created.id}`
  const changed = await client.send('PATCH', path, { description: 'b' })
  expect(changed.body).toEqual({ ...created, description: 'b' })
  expect((await client.send('PATCH', path, { private_key_type: 'rsa' })).body.error_code).toBe('ERR_SERVICE_214')
})

it('cannot be deleted while a certificate that it signed exists', async () => {
  const { id } = await client.create(authorities)
  const order = { ssh_certificate_authority_id: id, public_key: edPublicKey }
  const host = await client.create(hosts, order)
  const user = await client.create('/ssh_user_certificates', order)
  const refused = await client.send('DELETE', `${authorities}/${id}`)
  expect(refused).toMatchObject({ status: 400, body: { error_code: 'ERR_SERVICE_1964' } })
  expect(refused.body.msg).toContain(host.id)
  await client.send('DELETE', `${hosts}/${host.id}`)
  expect((await client.send('DELETE', `${authorities}/${id}`)).body.error_code).toBe('ERR_SERVICE_1964')
  await client.send('DELETE', `/ssh_user_certificates/${user.id}`)
  expect((await client.send('DELETE', `${authorities}/${id}`)).status).toBe(204)
})

it('is unknown to other accounts, in every way', async () => {
  const { id } = await client.create(authorities)
  const stranger = await api.newClient()
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/krl'],
  ] as const) {
    const body = method === 'PATCH' ? { description: 'x' } : undefined
    expect((await stranger.send(method, `${authorities}/${id}${path}`, body)).status).toBe(404)
  }
  const order = { ssh_certificate_authority_id: id, public_key: edPublicKey }
  expect((await stranger.send('POST', hosts, order)).body.error_code).toBe('ERR_SERVICE_1949')
  await client.create(hosts, order)
  expect((await stranger.send('POST', hosts, order)).body.error_code).toBe('ERR_SERVICE_1949')
  expect((await stranger.send('POST', '/ssh_user_certificates', order)).body.error_code).toBe('ERR_SERVICE_1951')
})

it('keeps its private key sealed in the store', async () => {
  const { id } = await client.create(authorities)
  const secret = await api.storage.records.secrets.read(id, 'private_key')
  const seed = Buffer.from(secret ?? '', 'base64').subarray(-32)
  expect(seed).toHaveLength(32)
  for (const file of readdirSync(api.dataDir).filter((name) => name !== 'master.key')) {
    const stored = readFileSync(join(api.dataDir, file))
    expect(stored.includes(seed)).toBe(false)
    expect(stored.includes('PRIVATE KEY')).toBe(false)
    expect(stored.includes(secret ?? '')).toBe(false)
  }
})

it('signs nothing with a sealed key that was moved to another authority', async () => {
  const [one, other] = [await client.create(authorities), await client.create(authorities)]
  const { db } = api.storage
  const { sealed } = await db
    .selectFrom('secrets')
    .select('sealed')
    .where('resource_id', '=', one.id)
    .executeTakeFirstOrThrow()
  await db.updateTable('secrets').set({ sealed }).where('resource_id', '=', other.id).execute()
  const order = { ssh_certificate_authority_id: other.id, public_key: edPublicKey }
  const refused = await client.send('POST', hosts, order)
  expect(refused).toMatchObject({ status: 500, body: { msg: expect.not.stringContaining('seal') } })
  expect((await client.send('GET', hosts)).body[hosts.slice(1)]).not.toContainEqual(expect.objectContaining(order))
})
