import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@tunnel/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LocalCertificates } from './local-certificates.ts'

const plainSealer = {
  seal: (plain: string) => ({ keyId: 'k', sealed: Buffer.from(plain).toString('base64') }),
  open: ({ sealed }: { sealed: string }) => Buffer.from(sealed, 'base64').toString(),
}

async function open(dataDir: string, options: { published?: string[]; now?: () => Date } = {}) {
  return LocalCertificates.open({
    dataDir,
    zone: 'tunnel.test',
    sealer: plainSealer,
    isPublished: (name) => (options.published ?? []).some((known) => name === known || isBelow(name, known)),
    now: options.now ?? (() => new Date()),
    onDropped: () => undefined,
  })
}

/** `*.` in front stands for every name below, at any depth. */
function isBelow(name: string, wildcard: string): boolean {
  return wildcard.startsWith('*.') && name.endsWith(wildcard.slice(1))
}

async function tempDataDir(): Promise<string> {
  const dir = await tempDir()
  onTestFinished(() => dir[Symbol.asyncDispose]())
  return dir.path
}

/** The server certificate of a context, as a visitor would get it. */
function certificateOf(context: unknown): X509Certificate {
  const native = (context as { context: { getCertificate(): Buffer } }).context
  return new X509Certificate(native.getCertificate())
}

describe('the local CA', () => {
  it('keeps its root over restarts, with the key sealed in a file of its own', async () => {
    const dataDir = await tempDataDir()
    const first = await open(dataDir)
    const second = await open(dataDir)
    expect(second.rootPem).toBe(first.rootPem)
    expect(readFileSync(join(dataDir, 'local-ca.pem'), 'utf8')).toBe(first.rootPem)
    const file = join(dataDir, 'local-ca.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toContain('PRIVATE KEY')
  })

  it('signs one certificate for the zone and all names directly in it', async () => {
    const certificates = await open(await tempDataDir())
    const root = new X509Certificate(certificates.rootPem)
    const leaf = certificateOf(await certificates.contextFor('a.tunnel.test'))
    expect(leaf.verify(root.publicKey)).toBe(true)
    expect(leaf.checkIssued(root)).toBe(true)
    expect(leaf.checkHost('a.tunnel.test')).toBeDefined()
    expect(leaf.checkHost('tunnel.test')).toBe('tunnel.test')
    expect(await certificates.contextFor('b.tunnel.test')).toBe(await certificates.contextFor('tunnel.test'))
  })

  it('makes certificates for published names only, once each', async () => {
    const certificates = await open(await tempDataDir(), { published: ['app.example.com', 'a.b.tunnel.test'] })
    const zone = await certificates.contextFor('tunnel.test')
    const own = await certificates.contextFor('app.example.com')
    expect(certificateOf(own).checkHost('app.example.com')).toBe('app.example.com')
    expect(await certificates.contextFor('app.example.com')).toBe(own)
    expect(await certificates.contextFor('a.b.tunnel.test')).not.toBe(zone)
    expect(await certificates.contextFor('nobody.example.com')).toBe(zone)
  })

  it('makes one certificate for all names next to each other below a wildcard, however many a flood thinks up', async () => {
    const certificates = await open(await tempDataDir(), { published: ['*.wild.example'] })
    const first = await certificates.contextFor('a.wild.example')
    expect(certificateOf(first).checkHost('b.wild.example')).toBeDefined()
    const flood = Array.from({ length: 500 }, (_, index) => certificates.contextFor(`x${index}.wild.example`))
    expect(new Set(await Promise.all(flood))).toEqual(new Set([first]))
    const deep = certificateOf(await certificates.contextFor('a.b.wild.example'))
    expect(deep.checkHost('a.b.wild.example')).toBeDefined()
  })

  it('makes new certificates before they expire, and when the clock was wrong', async () => {
    let now = new Date('1970-01-02')
    const certificates = await open(await tempDataDir(), { published: ['app.example.com'], now: () => now })
    const atBoot = await certificates.contextFor('app.example.com')
    for (const later of ['2026-11-21', '2027-02-01']) {
      now = new Date(later)
      for (const name of ['app.example.com', 'tunnel.test']) {
        const leaf = certificateOf(await certificates.contextFor(name))
        expect(leaf.validFromDate.getTime()).toBeLessThan(now.getTime())
        expect(leaf.validToDate.getTime()).toBeGreaterThan(now.getTime())
      }
    }
    expect(await certificates.contextFor('app.example.com')).not.toBe(atBoot)
  })

  it('knows which names a connection may carry', async () => {
    const certificates = await open(await tempDataDir(), { published: ['*.wild.example'] })
    expect(certificates.covers('a.wild.example', 'b.wild.example')).toBe(true)
    expect(certificates.covers('a.wild.example', 'a.b.wild.example')).toBe(false)
    expect(certificates.covers('a.tunnel.test', 'b.tunnel.test')).toBe(true)
    expect(certificates.covers(undefined, 'b.tunnel.test')).toBe(true)
    expect(certificates.covers('app.example.com', 'app.example.com')).toBe(true)
    expect(certificates.covers('app.example.com', 'b.tunnel.test')).toBe(false)
    expect(certificates.covers('a.tunnel.test', 'app.example.com')).toBe(false)
    expect(certificates.covers('a.tunnel.test', 'a.b.tunnel.test')).toBe(false)
    expect(certificates.covers(undefined, 'app.example.com')).toBe(false)
  })
})
