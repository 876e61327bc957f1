import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type TempDir, tempDir } from '@tunnel/testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Secret } from '../src/secret.ts'
import { Trust } from '../src/network/trust.ts'
import { DurableFile } from '../src/store/durable-file.ts'
import { ReleaseFiles } from '../src/update/release-files.ts'
import { parseUpdateState, type UpdateState } from '../src/update/update-state.ts'
import { UpdateStateKeeper } from '../src/update/update-state-keeper.ts'
import { Updater, type UpdaterOptions } from '../src/update/updater.ts'
import { startConnectProxy } from './connect-proxy.ts'
import { ReleaseSource } from './release-source.ts'
import { selfSigned } from './self-signed.ts'
import { isThorough } from './thorough.ts'

let state: TempDir
let source: ReleaseSource
let server: Server

beforeEach(async () => {
  state = await tempDir()
  source = new ReleaseSource()
  server = createServer((request, response) => void source.answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
})

afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await state[Symbol.asyncDispose]()
})

const before = { version: '1.0.0', wasOnline: true, tunnelCount: 0 }

/** The least that counts as a bundle: it tells its version. */
const program = (version: string, filler = ''): Buffer => Buffer.from(`console.log('agent ${version} test')//${filler}`)

const own = { agentVersion: '1.0.0', nodeVersion: process.versions.node, channel: 'stable' }

async function createUpdater(
  change: Partial<UpdaterOptions> = {},
): Promise<{ updater: Updater; keeper: UpdateStateKeeper }> {
  const keeper = await UpdateStateKeeper.open(
    new DurableFile({ path: join(state.path, 'update.json'), parse: parseUpdateState }),
  )
  const updater = new Updater({
    isEnabled: true,
    own,
    roots: [source.root.publicKey],
    source: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    route: { proxy: null, trust: new Trust(null) },
    files: new ReleaseFiles(state.path),
    state: keeper,
    trustedNowMs: Date.now,
    describeNow: () => before,
    onStep: () => undefined,
    ...change,
  })
  return { updater, keeper }
}

async function storedState(): Promise<UpdateState> {
  return parseUpdateState(JSON.parse(await readFile(join(state.path, 'update.json'), 'utf8')))
}

/** Runs an update to its end; the refusal, or how the state on the disk looks then. */
async function update(change: Partial<UpdaterOptions> = {}): Promise<UpdateState | string> {
  const { updater } = await createUpdater(change)
  const refusal = await updater.begin()
  await updater.idle()
  return refusal === null ? storedState() : `${refusal.code}: ${refusal.message}`
}

describe('an update', () => {
  it('is fetched, verified and staged', async () => {
    source.publish('1.1.0', program('1.1.0'))
    expect(await update()).toMatchObject({ phase: { kind: 'staged', target: { version: '1.1.0' }, before } })
    expect(await readdir(join(state.path, 'releases'))).toEqual(['1.1.0.mjs'])
  })

  it('goes on where a broken transfer has stopped, also after a restart', async () => {
    const large = program('1.1.0', 'x'.repeat(200_000))
    source.publish('1.1.0', large)
    source.breakAfterBytes = 100_000
    const part = join(state.path, 'releases', `${createHash('sha256').update(large).digest('hex')}.part`)
    source.beforeRest = () => vi.waitFor(async () => expect((await stat(part)).size).toBeGreaterThan(0), 5000)
    expect(await update()).toMatchObject({ phase: { kind: 'idle' }, last: { result: 'failed' } })
    source.breakAfterBytes = Infinity
    expect(await update()).toMatchObject({ phase: { kind: 'staged' } })
    expect(source.ranges[1]).toMatch(/^bytes=[1-9]\d*-$/)
  })
})

describe('through a proxy that wants credentials', () => {
  const source443 = new URL('https://releases.example.com')

  async function routed(credentials: string): Promise<{ outcome: UpdateState | string; targets: readonly string[] }> {
    const { key, cert } = await selfSigned('releases.example.com', { from: -1, to: 1 })
    const caFile = join(state.path, 'ca.pem')
    await writeFile(caFile, cert)
    const tls = createTlsServer({ key, cert }, (request, response) => void source.answer(request, response))
    await once(tls.listen(0, '127.0.0.1'), 'listening')
    await using proxy = await startConnectProxy((tls.address() as AddressInfo).port, 'user:password')
    source.publish('1.1.0', program('1.1.0'))
    const url = new Secret(proxy.url.replace('user:password', credentials))
    const route = { proxy: { url, noProxy: [] }, trust: new Trust(caFile) }
    const outcome = await update({ source: source443, route })
    tls.closeAllConnections()
    tls.close()
    return { outcome, targets: proxy.targets }
  }

  it('a release is asked for and fetched', async () => {
    const { outcome, targets } = await routed('user:password')
    expect(outcome).toMatchObject({ phase: { kind: 'staged', target: { version: '1.1.0' } } })
    expect(targets).toEqual(['releases.example.com:443', 'releases.example.com:443'])
  })

  it('wrong ones are no update, and are not repeated in the refusal', async () => {
    const { outcome, targets } = await routed('user:wrong-password')
    expect(outcome).toMatch(/^update_check_failed/)
    expect(outcome).not.toContain('wrong-password')
    expect(targets).toEqual([])
  })
})

describe('an update is refused', () => {
  it('when none is available', async () => {
    expect(await update()).toBe('no_update_available: no update is available')
  })

  it('when checks are disabled, without asking anybody', async () => {
    const text = 'update_checks_disabled: update checks are disabled in the configuration of this agent'
    expect(await update({ isEnabled: false, source: new URL('http://127.0.0.1:1') })).toBe(text)
  })

  it('while another one is in progress', async () => {
    source.publish('1.1.0', program('1.1.0'))
    const { updater } = await createUpdater()
    const [first, second] = await Promise.all([updater.begin(), updater.begin()])
    expect(first).toBeNull()
    expect(second).toEqual({ code: 'update_in_progress', message: 'an update is in progress' })
    await updater.idle()
  })

  it('when one waits for a restart', async () => {
    source.publish('1.1.0', program('1.1.0'))
    const { updater } = await createUpdater()
    await updater.begin()
    await updater.idle()
    expect(await updater.begin()).toEqual({
      code: 'update_pending_restart',
      message: 'an update was installed already and waits for a restart',
    })
  })

  it('when nobody answers', async () => {
    expect(await update({ source: new URL('http://127.0.0.1:1') })).toMatch(/^update_check_failed/)
  })

  it.each([
    ['the version that runs', '1.0.0', {}],
    ['an older version', '0.9.0', {}],
    ['a version that needs a newer agent', '1.1.0', { minAgent: '1.0.5' }],
    ['a version that needs a newer Node', '1.1.0', { minNode: '99.0.0' }],
    ['one of another channel', '1.1.0', { channel: 'beta' }],
  ])('when the offer is %s', async (_, version, change) => {
    source.publish(version, program(version), change)
    expect(await update()).toMatch(/^no_update_available: no update is available: /)
  })

  it('when the offer is another major version, wherever it lies', async () => {
    source.offer(source.publish('2.0.0', program('2.0.0')), 1)
    expect(await update()).toMatch(/another major version/)
  })

  it('when the offer was rolled back before, or is older than one that has proved itself', async () => {
    source.publish('1.1.0', program('1.1.0'))
    const { keeper } = await createUpdater()
    await keeper.change((current) => ({ ...current, quarantined: ['1.1.0'] }))
    expect(await update()).toMatch(/tried and rolled back/)
    await keeper.change((current) => ({ ...current, quarantined: [], floor: '1.2.0' }))
    expect(await update()).toMatch(/older/)
  })

  it('unless the signer allows the way back', async () => {
    source.publish('0.9.0', program('0.9.0'), { allowDowngrade: true })
    source.offer(source.publish('1.0.1', program('1.0.1'), { allowDowngrade: true }))
    expect(await update({ own: { ...own, agentVersion: '1.1.0' } })).toMatchObject({
      phase: { kind: 'staged' },
    })
  })

  it.each([
    [
      'a signature is wrong',
      (s: ReleaseSource) => s.offer({ ...s.publish('1.1.0', program('1.1.0')), signature: 'AAAA' }),
    ],
    [
      'its key is signed by nobody known',
      (s: ReleaseSource) => s.offer(new ReleaseSource().publish('1.1.0', program('1.1.0'))),
    ],
    [
      'it is another product',
      (s: ReleaseSource) => s.publish('1.1.0', program('1.1.0'), { product: 'other' as 'tunnel-agent' }),
    ],
    [
      'it has expired',
      (s: ReleaseSource) => s.publish('1.1.0', program('1.1.0'), { expiresAt: '2020-01-01T00:00:00Z' }),
    ],
    ['it is no release at all', (s: ReleaseSource) => s.offer({ version: '1.1.0' })],
    [
      'its version leads to another directory',
      (s: ReleaseSource) => s.publish('1.1.0', program('1.1.0'), { version: '../../1.1.0' }),
    ],
    [
      'its hash leads to another directory',
      (s: ReleaseSource) => s.publish('1.1.0', program('1.1.0'), { sha256: '../'.repeat(21) + 'x' }),
    ],
    [
      'it announces more than an agent can be',
      (s: ReleaseSource) => s.publish('1.1.0', program('1.1.0'), { sizeBytes: 17 * 1024 * 1024 }),
    ],
  ])('as untrusted when %s', async (_, spoil) => {
    spoil(source)
    expect(await update()).toMatch(/^update_untrusted/)
    expect(await readdir(state.path)).toEqual([])
  })

  it.each([
    ['endless', Buffer.alloc(10_000_000, ' ')],
    ['compressed, as nobody has asked for', gzipSync(Buffer.alloc(10_000_000, ' '))],
    ['empty', Buffer.alloc(0)],
  ])('when the answer about releases is %s', async (_, answer) => {
    source.files.set('stable/1.json', answer)
    expect(await update()).toMatch(/^update_check_failed/)
    expect(await readdir(state.path)).toEqual([])
  })

  it('for its age only where the clock can be trusted', async () => {
    source.publish('1.1.0', program('1.1.0'), { expiresAt: '2020-01-01T00:00:00Z' })
    expect(await update({ trustedNowMs: () => null })).toMatchObject({ phase: { kind: 'staged' } })
  })

  it('when the device has no room for it', async () => {
    source.publish('1.1.0', program('1.1.0'))
    const files = new ReleaseFiles(state.path)
    files.freeBytes = async () => 10
    expect(await update({ files })).toMatch(/^insufficient_disk/)
  })
})

describe('a download is given up, and the version before stays', () => {
  it.each([
    ['other bytes than were signed', program('1.1.0', 'a'), program('1.1.0', 'b')],
    ['fewer bytes than were signed', program('1.1.0', 'aaaa'), program('1.1.0', '')],
    ['more bytes than were signed', program('1.1.0', ''), program('1.1.0', 'a'.repeat(100_000))],
  ])('when it has %s', async (_, signed, sent) => {
    source.publish('1.1.0', signed)
    for (const place of source.files.keys()) if (place.startsWith('bundles/')) source.files.set(place, sent)
    expect(await update()).toMatchObject({
      phase: { kind: 'idle' },
      current: null,
      last: { result: 'failed', to: '1.1.0' },
    })
  })

  it.runIf(isThorough)('only when it stands still, however slow the line is', { timeout: 30_000 }, async () => {
    source.publish('1.1.0', program('1.1.0', 'x'.repeat(100_000)))
    source.beforeRest = () => new Promise((resolve) => setTimeout(resolve, 10_000))
    expect(await update()).toMatchObject({ phase: { kind: 'staged' } })
  })

  it('when the new version does not start on this device', async () => {
    source.publish('1.1.0', Buffer.from('this is no program'))
    expect(await update()).toMatchObject({ phase: { kind: 'idle' }, last: { result: 'failed' } })
  })

  it('when the disk refuses the note about it', async () => {
    source.publish('1.1.0', program('1.1.0'))
    const { keeper } = await createUpdater()
    keeper.change = () => Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))
    const { updater } = await createUpdater({ state: keeper })
    expect(await updater.begin()).toBeNull()
    await expect(updater.idle()).resolves.toBeUndefined()
    expect((await createUpdater()).keeper.current.phase.kind).toBe('idle')
  })
})

it('a file from elsewhere in the releases directory is never taken for a release', async () => {
  source.publish('1.1.0', program('1.1.0'))
  const files = new ReleaseFiles(state.path)
  await files.prepare()
  await writeFile(files.bundlePath({ version: '1.1.0' }), 'something else')
  expect(await update()).toMatchObject({ phase: { kind: 'staged' } })
  expect(await readFile(files.bundlePath({ version: '1.1.0' }))).toEqual(program('1.1.0'))
})
