import { generateKeyPairSync } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { type Client, startTestApi } from './api-harness.ts'
import { throwAwayCertificate } from '../certs/throw-away-certificate.ts'
import { listedErrors } from './operations.ts'

/* Errors of `/openapi.json` that a request alone provokes, and no other test: what is listed can happen. */

const api = await startTestApi()
afterAll(() => api[Symbol.asyncDispose]())
const [client, other] = [await api.newClient(), await api.newClient()]
const listed = await listedErrors(api.app)

const long = 'x'.repeat(256)
const larger = 'x'.repeat(4097)
const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGgfHWQNDBdWbsOCSaFa0q6gmnXQWQJ5RcqzsaeUnVQe'
const pem = (what: string) => `-----BEGIN ${what}-----\nAAAA\n-----END ${what}-----\n`
const unknown = (prefix: string) => `${prefix}_${'0'.repeat(27)}`
const ids = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}_${String(n).padStart(27, '0')}`)
const { chainPem, privateKeyPem } = await throwAwayCertificate(['app.example.dev'])
const encrypted = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
  .toString()

const made = async (path: string, body: Record<string, unknown> = {}, by: Client = client) =>
  `${path}/${(await by.create(path, body)).id}`
const edge = await made('/edges/https')
const routes = `${edge}/routes`
const route = await made(routes, { match_type: 'exact_path', match: '/' })
const policy = await made('/ip_policies')
const policyId = policy.slice('/ip_policies/'.length)
const key = await made('/api_keys')
const addr = await made('/reserved_addrs')
const rule = await made('/ip_policy_rules', { ip_policy_id: policyId, cidr: '192.0.2.0/24', action: 'allow' })
const bot = await made('/bot_users', { name: 'taken' })
await made('/credentials', { owner_id: bot.slice('/bot_users/'.length) })
await made('/ssh_credentials', { public_key: sshKey })

type Case = readonly [code: number, method: string, path: string, body?: unknown, by?: Client]

const webhook = (body: object): readonly [string, string, object] => ['PUT', `${route}/webhook_verification`, body]
const headers = (body: object): readonly [string, string, object] => ['PUT', `${route}/request_headers`, body]
const tls = (body: object) => ({ certificate_pem: chainPem, private_key_pem: privateKeyPem, ...body })

const cases: readonly Case[] = [
  [90001, 'POST', '/api_keys', { metadata: 'x'.repeat(1 << 20) }],
  [606, 'PATCH', key, {}],
  [90004, 'DELETE', bot],
  [4110, 'POST', '/bot_users', { name: 'x'.repeat(1000) }],
  [4112, 'POST', '/bot_users', { name: 'taken' }],
  [611, 'POST', '/ssh_credentials', {}],
  [609, 'POST', '/ssh_credentials', { public_key: sshKey }],
  [610, 'POST', '/ssh_credentials', { public_key: sshKey }, other],
  [1400, 'PATCH', policy, {}],
  [1401, 'PATCH', rule, {}],
  [1421, 'PATCH', rule, { description: long }],
  [1800, 'POST', '/ip_restrictions', { type: 'api', ip_policy_ids: ids('ipp', 1000) }],
  [1914, 'POST', '/tls_certificates', tls({ description: long })],
  [1916, 'POST', '/tls_certificates', tls({ metadata: larger })],
  [1919, 'POST', '/tls_certificates', { private_key_pem: privateKeyPem }],
  [1921, 'POST', '/tls_certificates', tls({ certificate_pem: chainPem.repeat(500) })],
  [1901, 'POST', '/tls_certificates', { certificate_pem: chainPem }],
  [1900, 'POST', '/tls_certificates', tls({ certificate_pem: pem('CERTIFICATE') })],
  [1911, 'POST', '/tls_certificates', tls({ certificate_pem: pem('PGP MESSAGE') })],
  [1902, 'POST', '/tls_certificates', tls({ private_key_pem: encrypted })],
  [1924, 'POST', '/tls_certificates', tls({ private_key_pem: chainPem })],
  [1903, 'POST', '/tls_certificates', tls({ private_key_pem: pem('PRIVATE KEY') })],
  [1915, 'POST', '/certificate_authorities', { ca_pem: chainPem, description: long }],
  [1917, 'POST', '/certificate_authorities', { ca_pem: chainPem, metadata: larger }],
  [1913, 'POST', '/certificate_authorities', { ca_pem: chainPem }],
  [1912, 'POST', '/certificate_authorities', { ca_pem: chainPem.repeat(2) }],
  [420, 'POST', '/reserved_domains', { domain: 'a.example.dev', description: long }],
  [505, 'PATCH', addr, { metadata: larger }],
  [506, 'PATCH', addr, {}],
  [6700, 'POST', '/agent_ingresses', { domain: 'i.example.dev', description: long }],
  [6701, 'POST', '/agent_ingresses', { domain: 'i.example.dev', metadata: larger }],
  [90200, 'POST', '/agent_ingresses', {}],
  [1908, 'POST', '/agent_ingresses', { domain: 'i.example.dev', certificate_management_policy: { authority: 'x' } }],
  [6503, 'POST', '/backends/tunnel_group', { description: long }],
  [6504, 'POST', '/backends/tunnel_group', { metadata: larger }],
  [6508, 'POST', '/backends/tunnel_group', { labels: Object.fromEntries(ids('l', 200).map((name) => [name, 'x'])) }],
  [6516, 'POST', '/backends/http_response', { body: 'x'.repeat(100_000) }],
  [6505, 'POST', '/backends/static', {}],
  [6511, 'POST', '/backends/weighted', { backends: Object.fromEntries(ids('bkdtg', 65).map((id) => [id, 1])) }],
  [6513, 'POST', '/backends/failover', { backends: ids('bkdtg', 65) }],
  [7073, 'POST', '/edges/https', { description: long }],
  [7074, 'POST', '/edges/https', { metadata: larger }],
  [7075, 'POST', '/edges/https', { mutual_tls: { certificate_authority_ids: ids('ca', 11) } }],
  [228, 'POST', '/edges/https', { mutual_tls: { certificate_authority_ids: [policyId] } }],
  [7072, 'POST', '/edges/https', { mutual_tls: { certificate_authority_ids: [unknown('ca')] } }],
  [90301, 'POST', '/edges/tls', { tls_termination: { terminate_at: 'upstream', min_version: '1.2' } }],
  [7109, 'POST', '/edges/https', { tls_termination: { terminate_at: 'upstream' } }],
  [7013, 'POST', '/edges/tcp', { ip_restriction: { ip_policy_ids: ids('ipp', 1000) } }],
  [7015, ...headers({ remove: ['a', 'b', 'c', 'd', 'e', 'f'] })],
  [7023, ...headers({ add: { 'not a name': 'x' } })],
  [7069, ...headers({ add: { 'x-a': '1', 'X-A': '2' } })],
  [7024, ...headers({ add: { 'x-a': 'line\nbreak' } })],
  [7029, ...webhook({ secret: 'x' })],
  [7030, ...webhook({ provider: 'nobody', secret: 'x' })],
  [7027, ...webhook({ provider: 'github' })],
  [7026, ...webhook({ provider: 'sns', secret: 'x' })],
  [7123, 'POST', routes, { match_type: 'exact_path' }],
  [7135, 'POST', routes, { match_type: 'exact_path', match: `/${'x'.repeat(1024)}` }],
  [7130, 'POST', routes, { match_type: 'guess', match: '/x' }],
]

const complete = cases.map(([code, method, path, body, by = client]) => [code, method, path, body, by] as const)

it.each(complete)('%i: %s %s', async (code, method, path, body, by) => {
  const answer = await by.send(method, path, body)
  expect(answer.body).toMatchObject({ status_code: answer.status, error_code: `ERR_SERVICE_${code}` })
  expect(listed(method, path)).toContain(`ERR_SERVICE_${code}`)
})
