import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Account,
  type RunningAgent,
  type RunningService,
  type TempDir,
  hasOpenSsh,
  startAgent,
  startProcess,
  startService,
  tempDir,
} from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fleet, deviceName, startFleet } from './fleet.ts'
import { guideSections } from './guide.ts'

const agentProgram = join(import.meta.dirname, '../../../../apps/device-agent/src/main.ts')
const [, setUp, authority, device, trust, tunnel, users, revoke] = ['', ...guideSections()]

interface ShellResult {
  readonly code: number | null
  readonly output: string
}

describe.skipIf(!hasOpenSsh)('docs/ssh.md, as it stands', () => {
  let dataDir: TempDir
  let service: RunningService
  let account: Account
  let fleet: Fleet
  let agent: RunningAgent
  beforeAll(async () => {
    dataDir = await tempDir()
    service = await startService({ dataDir: dataDir.path })
    account = await service.createAccount()
    fleet = await startFleet()
    agent = await startAgent({
      stateDir: join(dataDir.path, 'agent'),
      authtoken: (await account.createAuthtoken()).token,
      connectUrl: service.connectUrl(),
      caFile: service.caFile,
    })
    await agent.untilOnline()
    fleet.setRoute([
      'Host tcp.tunnel.example.com',
      'HostName 127.0.0.1',
      `Host ${deviceName}`,
      'HostName 127.0.0.1',
      `Port ${fleet.sshd.port}`,
      `HostKeyAlias ${deviceName}`,
    ])
  }, 60_000)
  afterAll(async () => {
    await agent[Symbol.asyncDispose]()
    await fleet[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
    await dataDir[Symbol.asyncDispose]()
  })

  /** What differs between the reader's machines and the test's: places, the account's name, how sshd is told. */
  function adapt(commands: string): string {
    return commands
      .replaceAll('npm run --silent agent --', `'${process.execPath}' '${agentProgram}'`)
      .replaceAll('localhost:4301', `127.0.0.1:${agent.port}`)
      .replaceAll('127.0.0.1:22"', `127.0.0.1:${fleet.sshd.port}"`)
      .replaceAll('ssh-host-cert --ca', `ssh-host-cert --keys-dir '${fleet.deviceDir}' --ca`)
      .replaceAll('/etc/ssh', fleet.deviceDir)
      .replaceAll('~/.ssh', fleet.clientDir)
      .replaceAll('systemctl reload ssh', `touch ${fleet.deviceDir}/reloaded`)
      .replaceAll('pi@', `${fleet.sshd.user}@`)
      .replaceAll('["pi\\', `["${fleet.sshd.user}\\`)
      .replaceAll('[\\"pi\\"]', `[\\"${fleet.sshd.user}\\"]`)
      .replaceAll(/^ssh /gm, `ssh -F '${fleet.clientDir}/config' `)
  }

  /** Sections share their variables, as in the reader's shell. */
  async function follow(...sections: (string | undefined)[]): Promise<ShellResult> {
    const file = join(dataDir.path, 'guide.sh')
    const state = join(dataDir.path, 'variables')
    const load = `set -eu\n[ ! -e ${state} ] || . ${state}\n`
    const save = `\nset | grep -E '^(CA|CA_KEY|USER_CA)=' > ${state}\n`
    writeFileSync(file, load + sections.map((section) => adapt(section ?? '')).join('') + save)
    const env = { SERVICE_API_URL: service.apiUrl, SERVICE_API_KEY: account.apiKey }
    await using shell = await startProcess('bash', [file], { env })
    const { code } = await shell.exited
    return { code, output: shell.output() }
  }

  it('is refused before anything was done, for want of a trusted key', async () => {
    const { code, output } = await follow(trust?.replace(/^echo .*$/m, ''))
    expect(output).toContain('Host key verification failed')
    expect(code).toBe(255)
  })

  it('leads to a login without a question', async () => {
    const { code, output } = await follow(setUp, authority, device, trust)
    expect(output).toMatch(/issued .*ssh_host_ed25519_key-cert.pub shcrt_\w+ until /)
    expect(output).toContain('load average')
    expect(code).toBe(0)
    expect(readFileSync(join(fleet.deviceDir, 'reloaded'), 'utf8')).toBe('')
    expect(fleet.sshd.log()).toContain('Accepted publickey')
  })

  it('leads to a login through a tunnel', async () => {
    const { code, output } = await follow(setUp, tunnel)
    expect(output).toMatch(/tcp:\/\/tcp\.tunnel\.localhost:\d+\n/)
    expect(output).toContain('load average')
    expect(code).toBe(0)
  })

  it('leads to a login without authorized keys', async () => {
    rmSync(join(fleet.deviceDir, 'authorized_keys'))
    const { code, output } = await follow(setUp, users)
    expect(output).toContain('load average')
    expect(code).toBe(0)
    expect(fleet.sshd.log()).toMatch(/Accepted publickey for \S+ from \S+ port \d+ ssh2: ED25519-CERT .* ID sucrt_/)
  })

  it('leads to a refusal of a revoked host', async () => {
    const { code, output } = await follow(setUp, revoke, trust)
    expect(output).toContain('revoked')
    expect(code).toBe(255)
  })
})
