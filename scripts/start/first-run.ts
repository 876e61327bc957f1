import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ownerEmail = 'owner@tunnel.localhost'

/** The secrets that the first run makes. They are printed once and, but for the authtoken, stored nowhere in clear. */
export interface FirstRun {
  readonly email: string
  readonly password: string
  readonly apiKey: string
}

/** Creates the owner's account and API key, or answers null when an earlier run has finished all of it. */
export async function prepareAccount(startDir: string, env: NodeJS.ProcessEnv): Promise<FirstRun | null> {
  if (existsSync(join(startDir, 'authtoken'))) return null
  const password = randomBytes(15).toString('base64url')
  // A run that was cut short has left the account; only its key is made again then.
  const created = await serviceCommand(['account', 'create', '--email', ownerEmail, '--password-stdin'], env, password)
  const key = await serviceCommand(['api-key', 'create', '--account', ownerEmail, '--description', 'first run'], env)
  if (key.token === undefined) throw new Error(`Could not create an API key: ${key.problem ?? created.problem ?? ''}`)
  const shown = created.problem === undefined ? password : '(as printed by the run that created the account)'
  return { email: ownerEmail, password: shown, apiKey: key.token }
}

/** Gives the agent an identity of its own: a bot user and an authtoken, kept in a file that only we can read. */
export async function prepareAuthtoken(startDir: string, apiUrl: string, firstRun: FirstRun): Promise<FirstRun> {
  const bot = await createResource(apiUrl, firstRun.apiKey, '/bot_users', { name: `first-agent-${Date.now()}` })
  const credential = await createResource(apiUrl, firstRun.apiKey, '/credentials', {
    description: 'first agent',
    owner_id: bot['id'],
  })
  const file = join(startDir, 'authtoken')
  writeFileSync(`${file}.new`, String(credential['token']), { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return firstRun
}

interface CommandAnswer {
  readonly token?: string
  readonly problem?: string
}

function serviceCommand(args: string[], env: NodeJS.ProcessEnv, input = ''): Promise<CommandAnswer> {
  return new Promise((resolve) => {
    const command = ['apps/service/src/main.ts', ...args, '--json']
    const child = execFile(process.execPath, command, { env, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve(error === null ? (JSON.parse(stdout) as CommandAnswer) : { problem: stderr.trim() })
    })
    child.stdin?.end(input)
  })
}

async function createResource(
  apiUrl: string,
  apiKey: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const response = await fetch(apiUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'service-version': '2', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  })
  if (response.status !== 201) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}
