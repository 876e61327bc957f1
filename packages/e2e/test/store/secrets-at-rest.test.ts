import { once } from 'node:events'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { type IncomingMessage, get } from 'node:http'
import { join } from 'node:path'
import { createApiClient } from '@tunnel/api-client'
import { processTree, startAgent, startHttpUpstream, startService, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { throwAwayCertificate } from '../../src/throw-away-certificate.ts'

const visits = 200
const password = 'correct horse battery staple'
const policySecret = 'knock-knock-7731'
const webhookSecret = 'whsec_5f0c9a41d2'
const eabKey = Buffer.from('external account binding').toString('base64url')

it('no secret stands in the store, the logs, the metrics, the process list or a reply', async () => {
  await using directory = await tempDir()
  await using agentDirectory = await tempDir()
  await using upstream = await startHttpUpstream()
  const [eabFile, tokenFile] = [join(agentDirectory.path, 'eab'), join(agentDirectory.path, 'authtoken')]
  await writeFile(eabFile, eabKey)
  const env = { SERVICE_ACME_EAB_KEY_ID: 'kid-1', SERVICE_ACME_EAB_KEY_FILE: eabFile }
  await using service = await startService({ dataDir: directory.path, env })
  const cookie = await signUp(service.apiUrl)
  const printed = await service.command('api-key', 'create', '--account', email, '--json')
  const { token: apiKey } = JSON.parse(printed) as { token: string }
  const client = createApiClient({ baseUrl: service.apiUrl, apiKey })

  const { certificate, key } = await throwAwayCertificate('secret.example.dev', false)
  const certificateId = (await client.tlsCertificates.create({ certificate_pem: certificate, private_key_pem: key })).id
  await client.sshCertificateAuthorities.create({ private_key_type: 'ed25519' })
  const edge = await client.httpsEdges.create({})
  await client.routesOf(edge.id).create({
    match_type: 'path_prefix',
    match: '/',
    webhook_verification: { provider: 'github', secret: webhookSecret },
    traffic_policy: { value: JSON.stringify(basicAuth) },
  })
  const tokens = [(await client.apiKeys.create({})).token, (await client.credentials.create({})).token].map(String)
  const secrets = [apiKey, ...tokens, ...linesOf(key), password, cookie, policySecret, webhookSecret, eabKey]

  await writeFile(tokenFile, tokens[1] ?? '')
  await using agent = await startAgent({
    stateDir: join(agentDirectory.path, 'state'),
    authtoken: '',
    connectUrl: service.connectUrl(),
    caFile: service.caFile,
    env: { SERVICE_AUTHTOKEN_FILE: tokenFile },
  })
  await agent.untilOnline()
  const domain = `guarded.${service.zone}`
  await agent.createTunnel({ forwards_to: `127.0.0.1:${upstream.port}`, domain, policy: basicAuth })
  const authorization = `Basic ${Buffer.from(`door:${policySecret}`).toString('base64')}`
  const visit = async () => {
    const sent = get({ port: service.ports.edgeHttp, headers: { host: domain, authorization } })
    const [reply] = (await once(sent, 'response')) as [IncomingMessage]
    reply.resume()
    return reply.statusCode
  }
  const statuses = await Promise.all(Array.from({ length: visits }, visit))
  expect(new Set(statuses)).toEqual(new Set([200]))

  // Failing requests carry secrets into places where a careless log or reply would show them.
  const failures = await failingRequests(service.apiUrl, tokens)
  const refused = await client.tlsCertificates
    .create({ certificate_pem: key, private_key_pem: key })
    .catch((error: unknown) => String(error))
  const pids = processTree([service.process.pid, agent.process.pid])
  const places = {
    metrics: await (await fetch(`${service.apiUrl}/metrics`)).text(),
    processes: (await Promise.all(pids.map(seenOfProcess))).join('\n'),
    replies: JSON.stringify([await client.tlsCertificates.get(certificateId), await client.credentials.page()]),
    failures: JSON.stringify([...failures, refused]),
    whileRunning: await contentOf(directory.path),
  }
  await agent.process.stop()
  await service.process.stop()
  const logs = { agentLog: agent.process.output(), serviceLog: service.process.output() }
  const atRest = { files: await contentOf(directory.path) }
  for (const [place, text] of Object.entries({ ...places, ...logs, ...atRest })) {
    const found = secrets.filter((secret) => text.includes(secret))
    expect({ place, found }).toEqual({ place, found: [] })
  }
  expect(atRest.files).toContain(certificateId)
  expect(atRest.files).not.toContain('PRIVATE KEY-----')
})

const email = 'owner@example.com'

/** Lets in whoever knows the secret. */
const basicAuth = {
  inbound: [{ name: 'door', actions: [{ type: 'basic-auth', config: { credentials: [`door:${policySecret}`] } }] }],
}

/** Creates the first account with a password, and returns the secret of its sign-in. */
async function signUp(apiUrl: string): Promise<string> {
  const reply = await fetch(`${apiUrl}/dashboard/first_account`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, setup_token: '' }),
  })
  const cookie = /=([^;]{16,})/.exec(reply.headers.get('set-cookie') ?? '')?.[1]
  if (cookie === undefined) throw new Error(`The first account was not created: ${reply.status} ${await reply.text()}`)
  return cookie
}

async function failingRequests(apiUrl: string, tokens: readonly string[]): Promise<string[]> {
  const texts = tokens.map(async (token) => {
    const reply = await fetch(`${apiUrl}/x`, { headers: { authorization: `Bearer ${token}x` } })
    return reply.text()
  })
  const signIn = await fetch(`${apiUrl}/dashboard/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'nobody@example.com', password }),
  })
  return [...(await Promise.all(texts)), await signIn.text()]
}

/** What other users of the machine, and crash reports, can see of a process. */
async function seenOfProcess(pid: number): Promise<string> {
  const [commandLine, environment] = [
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
    readFile(`/proc/${pid}/environ`, 'utf8'),
  ]
  return `${await commandLine}\n${await environment}`
}

/** The lines of a PEM that are the key itself. */
function linesOf(pem: string): string[] {
  return pem.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'))
}

/** Everything in the data directory but the master key, which is what opens the rest. */
async function contentOf(directory: string): Promise<string> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile() && entry.name !== 'master.key')
  const contents = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')))
  return contents.join('\n')
}
