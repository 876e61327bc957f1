import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type SessionClient, openSession } from '../session-client.ts'
import type { DashboardWorld } from './dashboard-world.ts'

export interface SampleFleet extends AsyncDisposable {
  /** A detail page of each kind, below the dashboard. */
  readonly detailPages: Readonly<Record<string, string>>
}

const devices = [
  ['site-a / rack 1 / pump controller', '1.4.0', 'pump-1'],
  ['site-a / rack 2 / camera', '1.4.0', 'camera-2'],
  ['site-b / door controller', '1.3.2', 'door-3'],
  ['site-b / weather station', '1.4.0', 'weather-4'],
] as const

/** Fills an account with something of every kind, and brings some devices online. */
export async function createSampleFleet(world: DashboardWorld): Promise<SampleFleet> {
  const { api } = world
  const bot = await api.botUsers.create({ name: 'pump controllers of site A' })
  await api.botUsers.create({ name: 'nightly report', active: false })
  const key = await api.apiKeys.create({ description: 'nightly report', metadata: '{"cron":"0 3 * * *"}' })
  const token = await api.credentials.create({
    description: 'site A',
    owner_id: bot.id,
    acl: [`bind:*.${world.service.zone}`, 'bind:site=a'],
  })
  const traffic = await createTraffic(world)
  const ssh = await createSsh(world)
  const sessions = await connectDevices(world, token.token)
  const [session = ''] = sessions.map(({ welcome }) => welcome.sessionId)
  return {
    detailPages: {
      session: `sessions/${session}`,
      authtoken: `authtokens/${token.id}`,
      'api-key': `api-keys/${key.id}`,
      ...traffic,
      ...ssh,
    },
    [Symbol.asyncDispose]: async () => {
      for (const { webSocket } of sessions) webSocket.terminate()
      await Promise.all(sessions.map(({ ended }) => ended))
    },
  }
}

async function createTraffic({ api, service }: DashboardWorld): Promise<Record<string, string>> {
  const domain = await api.reservedDomains.create({ domain: `app.${service.zone}`, description: 'customer portal' })
  await api.reservedDomains.create({ domain: 'portal.example.com', description: 'needs its DNS records' })
  const ingress = await api.agentIngresses.create({ domain: 'agents.example.com', description: 'all sites' })
  await api.reservedAddrs.create({ description: 'field bus of site B' })
  const group = await api.tunnelGroupBackends.create({ description: 'portal servers', labels: { app: 'portal' } })
  const fallback = await api.httpResponseBackends.create({
    description: 'maintenance page',
    status_code: 503,
    headers: { 'retry-after': '600' },
    body: 'Back in ten minutes.',
  })
  await api.failoverBackends.create({ description: 'portal, then the page', backends: [group.id, fallback.id] })
  await api.weightedBackends.create({ description: 'trial of 5 %', backends: { [group.id]: 95, [fallback.id]: 5 } })
  const policy = await api.ipPolicies.create({ description: 'offices' })
  await api.ipPolicyRules.create({
    ip_policy_id: policy.id,
    cidr: '192.0.2.0/24',
    action: 'allow',
    description: 'Berlin',
  })
  await api.ipPolicyRules.create({
    ip_policy_id: policy.id,
    cidr: '192.0.2.66/32',
    action: 'deny',
    description: 'guests',
  })
  const edge = await api.httpsEdges.create({ description: 'customer portal', hostports: [`app.${service.zone}:443`] })
  await api.routesOf(edge.id).create({
    match_type: 'path_prefix',
    match: '/',
    description: 'everything',
    backend: { backend_id: group.id },
    ip_restriction: { ip_policy_ids: [policy.id] },
  })
  await api
    .routesOf(edge.id)
    .create({ match_type: 'exact_path', match: '/status', backend: { backend_id: fallback.id } })
  return {
    'reserved-domain': `reserved-domains/${domain.id}`,
    'agent-ingress': `agent-ingresses/${ingress.id}`,
    edge: `edges/${edge.id}`,
    'ip-policy': `ip-policies/${policy.id}`,
  }
}

async function createSsh({ api }: DashboardWorld): Promise<Record<string, string>> {
  const authority = await api.sshCertificateAuthorities.create({ description: 'fleet' })
  const host = await api.sshHostCertificates.create({
    ssh_certificate_authority_id: authority.id,
    public_key: newSshKey(),
    principals: ['pump-1.example.com'],
    description: 'pump controller',
  })
  await api.sshUserCertificates.create({
    ssh_certificate_authority_id: authority.id,
    public_key: newSshKey(),
    principals: ['maintenance'],
    description: 'Ada',
  })
  return {
    'ssh-authority': `ssh-authorities/${authority.id}`,
    'ssh-host-certificate': `ssh-host-certificates/${host.id}`,
  }
}

async function connectDevices({ service }: DashboardWorld, authtoken: string): Promise<readonly SessionClient[]> {
  const ca = await readFile(service.caFile)
  return Promise.all(
    devices.map(async ([metadata, agentVersion, label]) => {
      const hello = { metadata, agentVersion, hostname: label }
      const client = await openSession({ connectUrl: service.connectUrl(), authtoken, ca, hello })
      await client.bind({ domain: `${label}.${service.zone}` })
      return client
    }),
  )
}

/** A line as in a .pub file. */
function newSshKey(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const parts = [Buffer.from('ssh-ed25519'), Buffer.from(x, 'base64url')]
  const blob = parts.flatMap((part) => [Buffer.from([0, 0, 0, part.length]), part])
  return `ssh-ed25519 ${Buffer.concat(blob).toString('base64')}`
}
