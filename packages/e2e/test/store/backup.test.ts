import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, type RunningService, fromSource, runProcess, startService, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { throwAwayCertificate } from '../../src/throw-away-certificate.ts'

const { command, args } = fromSource('apps/service/src/main.ts')
const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGgfHWQNDBdWbsOCSaFa0q6gmnXQWQJ5RcqzsaeUnVQe host'
const keyFiles = ['master.key', 'identity.key', 'local-ca.json', 'local-ca.pem']

it('a backup of a running service, restored after everything was lost, gives the same replies', async () => {
  await using directory = await tempDir()
  const dataDir = join(directory.path, 'data')
  const file = join(directory.path, 'copy.backup')
  const run = (name: string) => runProcess(command, [...args, name, file], { env: { SERVICE_DATA_DIR: dataDir } })
  await using service = await startService({ dataDir })
  const account = await service.createAccount()
  const authorityId = await createOneOfMany(account)
  await run('backup')
  const before = await everyReply(service, account)
  const keys = await contentOf(dataDir)
  await service.process.stop()
  await rm(dataDir, { recursive: true })
  await run('restore')

  await using restored = await startService({ dataDir, ports: service.ports })
  const after = await everyReply(restored, account)
  expect(Object.keys(after).length).toBeGreaterThan(40)
  expect(after).toEqual(before)
  expect(await contentOf(dataDir)).toEqual(keys)
  // Only the authority's sealed key can sign this.
  await expect(issueWith(account, authorityId)).resolves.toHaveProperty('certificate')
}, 60_000)

/** Returns the id of the SSH certificate authority. */
async function createOneOfMany(account: Account): Promise<string> {
  const create = async (
    path: string,
    body: object = { description: 'first', metadata: 'm' },
  ): Promise<Record<string, string>> => (await account.call('POST', path, body)) as Record<string, string>
  const { id: authorityId = '' } = await create('/ssh_certificate_authorities', { private_key_type: 'ed25519' })
  await issueWith(account, authorityId)
  const { certificate, key } = await throwAwayCertificate('leaf', false)
  await create('/tls_certificates', { certificate_pem: certificate, private_key_pem: key })
  await create('/certificate_authorities', { ca_pem: (await throwAwayCertificate('ca', true)).certificate })
  await create('/credentials', { acl: ['bind:*.example.com'] })
  await create('/ssh_credentials', { public_key: sshKey })
  await create('/bot_users', { name: 'robot' })
  await create('/api_keys')
  const policy = await create('/ip_policies')
  await create('/ip_policy_rules', { ip_policy_id: policy['id'], cidr: '192.0.2.0/24', action: 'allow' })
  await create('/ip_restrictions', { type: 'endpoints', ip_policy_ids: [policy['id']] })
  await create('/reserved_domains', { domain: 'a.tunnel.localhost' })
  const address = await create('/reserved_addrs')
  await create('/agent_ingresses', { domain: 'devices.customer.dev' })
  const response = await create('/backends/http_response', { body: 'hello' })
  await create('/backends/tunnel_group', { labels: { device: 'one' } })
  await create('/backends/static', { address: '192.0.2.1:80' })
  await create('/backends/weighted', { backends: { [String(response['id'])]: 1 } })
  await create('/backends/failover', { backends: [response['id']] })
  await create('/edges/tcp', { hostports: [address['addr']] })
  const edge = await create('/edges/https', { hostports: ['a.tunnel.localhost:443'] })
  await create(`/edges/https/${edge['id']}/routes`, { match_type: 'path_prefix', match: '/' })
  return authorityId
}

function issueWith(account: Account, authorityId: string): Promise<unknown> {
  const body = { ssh_certificate_authority_id: authorityId, public_key: sshKey, principals: ['ann'] }
  return account.call('POST', '/ssh_user_certificates', body)
}

/** The reply of every collection in the published description, and of every resource in it, by path. */
async function everyReply(service: RunningService, account: Account): Promise<Record<string, unknown>> {
  const described = await (await fetch(`${service.apiUrl}/openapi.json`)).json()
  const { paths } = described as { paths: Record<string, { get?: { parameters?: { name: string }[] } }> }
  const replies: Record<string, unknown> = {}
  for (const [path, { get }] of Object.entries(paths)) {
    const isList = get?.parameters?.some(({ name }) => name === 'before_id') ?? false
    if (!isList || path.includes('{')) continue
    const list = (await account.call('GET', path)) as Record<string, unknown>
    replies[path] = list
    const items = Object.values(list).find((value) => Array.isArray(value)) as { id: string }[]
    for (const { id } of items) replies[`${path}/${id}`] = await account.call('GET', `${path}/${id}`)
  }
  return replies
}

function contentOf(dataDir: string): Promise<string[]> {
  return Promise.all(keyFiles.map((name) => readFile(join(dataDir, name), 'utf8')))
}
