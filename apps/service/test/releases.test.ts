import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { verifyRelease } from '@tunnel/agent-release'
import { type TempDir, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../src/cli/run-cli.ts'
import { createReleaseDownloads } from '../src/releases/release-downloads.ts'

let dir: TempDir
let server: Server
let bundle: string

beforeAll(async () => {
  dir = await tempDir()
  bundle = join(dir.path, 'agent.mjs')
  await writeFile(bundle, 'console.log("a bundle")')
  const downloads = createReleaseDownloads(join(dir.path, 'data/releases'))
  server = createServer((request, response) => {
    if (!downloads(request, response)) response.writeHead(426).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})

afterAll(async () => {
  server.close()
  await dir[Symbol.asyncDispose]()
})

async function run(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const env = { SERVICE_DATA_DIR: join(dir.path, 'data') }
  const code = await runCli(args, env, { stdin: Readable.from(['']), stdout, stderr })
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') }
}

const keys = () => join(dir.path, 'keys')
const port = () => (server.address() as AddressInfo).port
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port()}/agent-releases/${path}`, { headers })

async function publish(version: string, ...options: string[]) {
  await run('release', 'sign', bundle, '--keys', keys(), '--version', version, ...options)
  return run('release', 'publish', bundle)
}

describe('a release', () => {
  it('goes from keys over a signature to the agents, who can verify it', async () => {
    expect((await run('release', 'keygen', keys())).code).toBe(0)
    expect((await stat(join(keys(), 'root.pem'))).mode & 0o077).toBe(0)
    expect((await stat(join(keys(), 'release.pem'))).mode & 0o077).toBe(0)
    expect(await publish('1.2.0')).toMatchObject({ code: 0, out: '1.2.0 is offered in channel stable\n' })
    expect((await run('release', 'list')).out).toMatch(/^stable 1\.2\.0, until /)

    const roots = (await readFile(join(keys(), 'root.pub'), 'utf8')).trim().split('\n')
    const offer = await (await get('stable/1.json')).json()
    const { manifest } = verifyRelease(offer, { roots, revokedKeyIds: [] }, Date.now())
    expect(manifest).toMatchObject({ version: '1.2.0', product: 'tunnel-agent', minAgent: '1.0.0' })
    expect(await (await get(`bundles/${manifest.sha256}.mjs`)).text()).toBe('console.log("a bundle")')
  })

  it('keeps its root key when a new release key is made, which can revoke the old one', async () => {
    const before = await readFile(join(keys(), 'root.pub'), 'utf8')
    const { keyId } = JSON.parse((await run('release', 'keygen', keys(), '--json')).out) as { keyId: string }
    await run('release', 'keygen', keys(), '--revoke', keyId)
    expect(await readFile(join(keys(), 'root.pub'), 'utf8')).toBe(before)
    await publish('1.3.0')
    const offer = await (await get('stable/1.json')).json()
    expect(verifyRelease(offer, { roots: [before.trim()], revokedKeyIds: [] }, Date.now()).revokes).toEqual([keyId])
  })

  it('is not offered when it is older, another bundle, or unsigned', async () => {
    expect(await publish('1.2.9')).toMatchObject({ code: 1, err: expect.stringContaining('1.3.0 is offered already') })
    await run('release', 'sign', bundle, '--keys', keys(), '--version', '1.4.0')
    await writeFile(bundle, 'something else')
    expect(await run('release', 'publish', bundle)).toMatchObject({
      code: 1,
      err: expect.stringContaining('not the one that was signed'),
    })
    await writeFile(`${bundle}.release.json`, '{}')
    expect(await run('release', 'publish', bundle)).toMatchObject({
      code: 1,
      err: expect.stringContaining('malformed'),
    })
    expect((await run('release', 'list')).out).toMatch(/^stable 1\.3\.0/)
  })

  it.each([
    [['release', 'sign', 'x', '--keys', 'y', '--version', '1.2'], '--version must be a version'],
    [['release', 'sign', 'x', '--version', '1.2.3'], '--keys is required'],
    [['release', 'publish'], 'Usage: release publish'],
  ])('%j is a wrong command line', async (args, message) => {
    await writeFile(join(dir.path, 'x'), '')
    const line = args.map((arg) => (arg === 'x' ? join(dir.path, 'x') : arg))
    expect(await run(...line)).toMatchObject({ code: 64, err: expect.stringContaining(message) })
  })
})

describe('the download', () => {
  it('goes on where one has stopped', async () => {
    const offer = (await (await get('stable/1.json')).json()) as { manifest: string }
    const { sha256 } = JSON.parse(offer.manifest) as { sha256: string }
    const rest = await get(`bundles/${sha256}.mjs`, { range: 'bytes=10-' })
    expect({ status: rest.status, body: await rest.text() }).toEqual({ status: 206, body: 'g("a bundle")' })
    expect((await get(`bundles/${sha256}.mjs`, { range: 'bytes=1000-' })).status).toBe(416)
  })

  it.each([
    '',
    'stable',
    'stable/2.json',
    '../keys/root.pem',
    'bundles/../../keys/root.pem',
    'bundles/%2e%2e/x.mjs',
    'stable/1.json/',
    'bundles/' + 'a'.repeat(64) + '.mjs',
  ])('gives nothing else: %s', async (place) => {
    const socket = connect(port(), '127.0.0.1').setEncoding('utf8')
    socket.write(`GET /agent-releases/${place} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('leaves every other path to the service', async () => {
    expect((await fetch(`http://127.0.0.1:${port()}/tunnel`)).status).toBe(426)
  })
})
