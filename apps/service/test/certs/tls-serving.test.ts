import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { runProcess, startHttpUpstream, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CertificateSelection } from '../../src/certs/serving/certificate-selection.ts'
import { ContextCache, type KeyAndChain } from '../../src/certs/serving/context-cache.ts'
import { ServedNames } from '../../src/certs/serving/served-names.ts'
import { startTestEdge } from '../edge/running-edge.ts'
import { testCertificates } from '../edge/test-certificates.ts'
import { throwAwayCertificate } from './throw-away-certificate.ts'

const stack = new AsyncDisposableStack()
const rotations: ((keys: Buffer) => void)[] = []
const ticketKeys = {
  current: randomBytes(48),
  onRotated: (listener: (keys: Buffer) => void) => void rotations.push(listener),
}
const certificates = new Map<string, KeyAndChain>()
const names = new ServedNames()
const contexts = new ContextCache({
  load: (id) => Promise.resolve(certificates.get(id)),
  contextsMax: 100,
  creationsPerSecond: 100,
  nowMs: () => performance.now(),
  collectGarbage: () => undefined,
})
let ports: number[]
let dir: string

beforeAll(async () => {
  certificates.set('cert_app', await throwAwayCertificate(['app.test']))
  certificates.set('cert_www', await throwAwayCertificate(['www.app.test']))
  certificates.set('cert_wild', await throwAwayCertificate(['*.wild.test']))
  names.set('rd_1', ['app.test'], 'cert_app')
  names.set('rd_2', ['www.app.test'], 'cert_www')
  names.set('rd_3', ['*.wild.test'], 'cert_wild')
  dir = stack.use(await tempDir()).path
  const upstream = stack.use(await startHttpUpstream())
  const selection = new CertificateSelection({ names, contexts, lastResort: await testCertificates() })
  const options = { upstreamPort: upstream.port, certificates: selection, ticketKeys }
  const edges = [stack.use(await startTestEdge(options)), stack.use(await startTestEdge(options))]
  ports = edges.map((edge) => edge.tlsPort)
})

afterAll(() => stack.disposeAsync())

interface Handshake {
  readonly node?: 0 | 1
  readonly args?: readonly string[]
  /** Sent after the handshake. */
  readonly host?: string
}

/** A handshake by the real openssl, and the beginning of what it got. */
async function handshake(serverName: string | null, { node = 0, args = [], host }: Handshake = {}): Promise<string> {
  const input = join(dir, 'input')
  writeFileSync(input, host === undefined ? '' : `GET /request HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  const name = serverName === null ? ['-noservername'] : ['-servername', serverName]
  const words = ['s_client', '-connect', `127.0.0.1:${ports[node]}`, ...name, '-ign_eof', ...args]
  const shown = words.map((word) => `'${word}'`).join(' ')
  const command =
    host === undefined ? `openssl ${shown} </dev/null & pid=$!; sleep 0.4; kill $pid` : `openssl ${shown} <'${input}'`
  return runProcess('sh', ['-c', `${command} 2>&1 || true`], { limitMs: 15_000 })
}

function sanOf(output: string): Promise<string> {
  const pem = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/.exec(output)?.[0] ?? ''
  const file = join(dir, 'shown.pem')
  writeFileSync(file, pem)
  return runProcess('openssl', ['x509', '-in', file, '-noout', '-ext', 'subjectAltName'])
}

describe('a handshake with the real openssl', () => {
  it.each([
    ['app.test', 'DNS:app.test'],
    ['APP.Test', 'DNS:app.test'],
    ['www.app.test', 'DNS:www.app.test'],
    ['any.wild.test', 'DNS:*.wild.test'],
    ['two.labels.wild.test', 'DNS:app.test, DNS:*.app.test'],
    ['unknown.example', 'DNS:app.test, DNS:*.app.test'],
  ])('for %s shows the certificate of %s and agrees on h2', async (serverName, expected) => {
    const output = await handshake(serverName, { args: ['-alpn', 'h2,http/1.1'] })
    expect(await sanOf(output)).toContain(expected)
    expect(output).toContain('ALPN protocol: h2')
  })

  it('shows the new certificate after a swap, while an unknown name makes no context', async () => {
    await handshake('app.test')
    const size = contexts.size
    await handshake('unknown-2.example')
    expect(contexts.size).toBe(size)
    certificates.set('cert_new', await throwAwayCertificate(['app.test', 'swapped.test']))
    names.set('rd_1', ['app.test'], 'cert_new')
    expect(await sanOf(await handshake('app.test'))).toContain('DNS:swapped.test')
    names.set('rd_1', ['app.test'], 'cert_app')
  })
})

describe.each(['-tls1_2', '-tls1_3'])('a session of %s', (version) => {
  const session = () => join(dir, `session${version}`)

  beforeAll(() => handshake('app.test', { args: [version, '-sess_out', session()], host: 'app.test' }))

  it('begun at one process is resumed at another, and its request is routed by its Host', async () => {
    const output = await handshake('app.test', { node: 1, args: [version, '-sess_in', session()], host: 'app.test' })
    expect(output).toContain('Reused, TLSv1')
    expect(output).toMatch(/HTTP\/1\.1 200[^]*"host":"app\.test"/)
  })

  it('offered under another name counts for the name of the new handshake alone', async () => {
    const resume = [version, '-sess_in', session()]
    const output = await handshake('www.app.test', { args: resume, host: 'www.app.test' })
    expect(output).toMatch(/HTTP\/1\.1 200[^]*"host":"www\.app\.test"/)
    for (const host of ['app.test', 'any.wild.test'])
      expect(await handshake('www.app.test', { args: resume, host })).toMatch(/HTTP\/1\.1 421/)
  })

  it('offered without a name is led nowhere that has a certificate of its own', async () => {
    const resume = [version, '-sess_in', session()]
    expect(await handshake(null, { args: resume, host: 'app.test' })).toMatch(/HTTP\/1\.1 421/)
  })
})

it('a flood of unknown names makes no context', async () => {
  const size = contexts.size
  const hello = (index: number) =>
    new Promise<void>((resolve) => {
      const servername = `flood-${index}.example`
      const socket = connect({ port: ports[0]!, host: '127.0.0.1', servername, rejectUnauthorized: false }, () =>
        socket.destroy(),
      )
      socket.on('close', () => resolve())
    })
  for (let sent = 0; sent < 400; sent += 20)
    await Promise.all(Array.from({ length: 20 }, (_, index) => hello(sent + index)))
  expect(contexts.size).toBe(size)
})

it('a certificate that never comes ends the handshake at its time limit, and nobody else’s', async () => {
  const waiting = Promise.withResolvers<never>()
  const known = await testCertificates()
  const source = {
    fallback: () => known.fallback(),
    contextFor: (name: string) => (name === 'never.test' ? waiting.promise : known.contextFor(name)),
    keyPairFor: () => Promise.reject(new Error('not asked for here')),
    covers: () => true,
  }
  await using edge = await startTestEdge({ certificates: source, limits: { tlsHandshakeMs: 300 } })
  const ask = (servername: string) =>
    connect({ port: edge.tlsPort, host: '127.0.0.1', servername, rejectUnauthorized: false })
  const stuck = ask('never.test').on('error', () => undefined)
  const ended = new Promise((resolve) => stuck.on('close', resolve))
  const startedAtMs = performance.now()
  await once(ask('app.test'), 'secureConnect')
  await ended
  expect(performance.now() - startedAtMs).toBeGreaterThan(200)
})

it('after a rotation of the ticket keys an old session costs a full handshake, and no error', async () => {
  const session = join(dir, 'session-rotated')
  await handshake('app.test', { args: ['-sess_out', session], host: 'app.test' })
  for (const rotate of rotations) rotate(randomBytes(48))
  const output = await handshake('app.test', { args: ['-sess_in', session, '-sess_out', session], host: 'app.test' })
  expect(output).toMatch(/New, TLSv1[^]*HTTP\/1\.1 200/)
  expect(await handshake('app.test', { args: ['-sess_in', session], host: 'app.test' })).toContain('Reused,')
})

it('a proof for a certificate authority is answered for its host alone', async () => {
  const find = (host: string, token: string) =>
    host === 'app.test' && token === 't0ken' ? 't0ken.thumbprint' : undefined
  await using edge = await startTestEdge({ challenges: { find } })
  const ask = (host: string, path: string) =>
    runProcess('curl', ['-s', '-H', `Host: ${host}`, `http://127.0.0.1:${edge.port}${path}`])
  expect(await ask('app.test', '/.well-known/acme-challenge/t0ken')).toBe('t0ken.thumbprint')
  expect(await ask('other.test', '/.well-known/acme-challenge/t0ken')).toContain('ERR_SERVICE_3200')
  expect(await ask('unknown.test', '/.well-known/acme-challenge/other')).toContain('ERR_SERVICE_3200')
})
