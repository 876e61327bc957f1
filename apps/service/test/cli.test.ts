import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRootFile } from '../src/certs/local-ca/root-file.ts'
import { runCli } from '../src/cli/run-cli.ts'
import { createManagement } from '../src/resources/management.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import { Sealer } from '../src/storage/sealer.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cli-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

async function run(line: string, options: { stdin?: string; dataDir?: string } = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const env = { SERVICE_DATA_DIR: join(directory, options.dataDir ?? 'data') }
  const code = await runCli(line.split(' '), env, { stdin: Readable.from([options.stdin ?? '']), stdout, stderr })
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') }
}

function settings(dataDir = 'data') {
  const path = join(directory, dataDir)
  return { dataDir: path, databaseUrl: null, masterKeyFile: join(path, 'master.key') }
}

const managed = {
  zone: 'tunnel.example',
  region: 'local',
  tcpPorts: { first: 20_000, last: 20_009 },
  sshEmptyPrincipals: 'empty' as const,
  policyPrivateHosts: [],
}

describe('the command line', () => {
  it('creates an account with a password, and a key that the API accepts', async () => {
    const created = await run('account create --email Ann@Example.com --password-stdin --json', {
      stdin: 'correct horse battery\n',
    })
    expect(JSON.parse(created.out)).toEqual({ id: expect.stringMatching(/^ac_/), email: 'ann@example.com' })
    const key = JSON.parse((await run('api-key create --account ann@example.com --description ci --json')).out)
    await using storage = await openStorage(settings())
    const { accounts, apiKeys } = createManagement(storage, managed)
    expect(await accounts.authenticate('ann@example.com', 'correct horse battery')).not.toBeNull()
    expect(await accounts.authenticate('ann@example.com', 'wrong')).toBeNull()
    expect(await accounts.authenticate('bob@example.com', 'wrong')).toBeNull()
    expect(await apiKeys.verify(key.token)).toMatchObject({ apiKeyId: key.id, isAdmin: true })
  })

  it.each([
    ['account create --email ann@example.com', 1, 'exists already'],
    ['account create --email nobody', 1, 'not valid'],
    ['api-key create --account bob@example.com', 1, 'account create --email bob@example.com'],
    ['api-key create', 64, '--account is required'],
    ['account create --mail x', 64, 'Usage: account create'],
    ['nonsense', 64, 'Unknown command'],
    ['backup', 64, 'Usage: backup FILE'],
  ])('%s fails with %s and says why', async (line, code, text) => {
    const result = await run(line)
    expect(result).toMatchObject({ code, out: '' })
    expect(result.err).toContain(text)
  })

  it('keeps a short password out', async () => {
    const result = await run('account create --email c@example.com --password-stdin', { stdin: 'short\n' })
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining('at least 12') })
  })

  it('restores a backup that was made while the store was open, secrets included', async () => {
    const file = join(directory, 'copy.backup')
    await using running = await openStorage(settings())
    const account = await createManagement(running, managed).accounts.get('ann@example.com')
    const row = {
      id: 'thing_1',
      kind: 'thing',
      accountId: account.id,
      parentId: null,
      createdAt: 1,
      revision: 0,
      body: '{}',
    }
    await running.records.insert(row, { links: [], uniqueKeys: [] }, { private_key: 'very secret' })
    expect(await run(`backup ${file}`)).toMatchObject({ code: 0 })
    expect(await run(`backup ${file}`)).toMatchObject({ code: 1, err: expect.stringContaining('exists already') })
    expect(await run(`restore ${file}`, { dataDir: 'restored' })).toMatchObject({ code: 0 })
    await using restored = await openStorage(settings('restored'))
    expect(await createManagement(restored, managed).accounts.get('ann@example.com')).toEqual(account)
    expect(await restored.records.secrets.read('thing_1', 'private_key')).toBe('very secret')
    expect(await run(`restore ${file}`)).toMatchObject({ code: 1, err: expect.stringContaining('Stop the service') })
  })

  it('rotates the master key', async () => {
    const before = readFileSync(settings().masterKeyFile, 'utf8')
    expect((await run('master-key rotate')).out).toContain('1 secrets sealed')
    expect(readFileSync(settings().masterKeyFile, 'utf8')).toMatch(
      new RegExp(`^[^\n]+\n${before.replaceAll('+', '\\+')}$`),
    )
    await using storage = await openStorage(settings())
    expect(await storage.records.secrets.read('thing_1', 'private_key')).toBe('very secret')
  })

  it('leaves the local certificate authority usable after any number of rotations', async () => {
    const { dataDir } = settings()
    const readRoot = async () => {
      await using storage = await openStorage(settings())
      return openRootFile(dataDir, new Sealer(storage.masterKeys))
    }
    const before = await readRoot()
    for (let rotation = 0; rotation < 3; rotation += 1) await run('master-key rotate')
    expect(await readRoot()).toEqual(before)
  })
})
