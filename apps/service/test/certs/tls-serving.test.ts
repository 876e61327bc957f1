import { hkdfSync, randomBytes } from 'node:crypto'
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
const rotations: (() => void)[] = []
let secret = randomBytes(48)
const ticketKeys = {
  keysFor: (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 48)),
  onRotated: (listener: () => void) => void rotations.push(listener),
}
const certificates = new Map<string, KeyAndChain>()
const names = new ServedNames()
const contexts = new ContextCache({
  load: (id) => Promise.resolve(certificates.get(id)),
  contextsMax: 100,
  creationsPerSecond: 100,
  nowMs: () => performance.now(),
  onDropped: () => undefined,
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
  names.set('rd_4', ['also-app.test'], 'cert_app')
  dir = stack.use(await tempDir()).path
  const upstream = stack.use(await startHttpUpstream())
  const selection = new CertificateSelection({ names, contexts, lastResort: await testCertificates() })
  const options = { upstreamPort: upstream.port, certificates: selection, ticketKeys }
  const edges = [stack.use(await startTestEdge(options)), stack.use(await startTestEdge(options))]
  ports = edges.map((edge) => edge.tlsPort)
  for (const edge of edges)
    for (const name of ['one.wild.test', 'two.wild.test', 'also-app.test']) edge.publishTunnel(name)
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

/** A visit by Node's client, which waits for the ticket that comes with the response. */
async function visit(port: number, servername: string, session?: Buffer) {
  const socket = connect({
    port,
    host: '127.0.0.1',
    servername,
    rejectUnauthorized: false,
    ...(session && { session }),
  })
  let ticket: Buffer | undefined
  socket.on('session', (given: Buffer) => (ticket = given))
  await once(socket, 'secureConnect')
  const isResumed = socket.isSessionReused()
  socket.end(`GET /request HTTP/1.1\r\nHost: ${servername}\r\nConnection: close\r\n\r\n`).resume()
  await once(socket, 'close')
  return { session: ticket, isResumed }
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
  const session = (name: string | null) => join(dir, `session${version}-${name}`)
  const begin = (name: string | null) =>
    handshake(name, { args: [version, '-sess_out', session(name)], host: name ?? 'app.test' })
  const resume = (name: string | null, of: string | null, options: Handshake = {}) =>
    handshake(name, { host: name ?? 'app.test', ...options, args: [version, '-sess_in', session(of)] })
  const begun = ['app.test', 'www.app.test', 'one.wild.test', 'unknown.example', null]

  beforeAll(async () => {
    for (const name of begun) await begin(name)
  })

  it.each(['app.test', 'one.wild.test'])('of %s is resumed at another process', async (name) => {
    const output = await resume(name, name, { node: 1 })
    expect(output).toMatch(new RegExp(`Reused, TLSv1[^]*HTTP/1\\.1 200[^]*"host":"${name}"`))
  })

  it('is resumed however the name is written', async () => {
    expect(await resume('APP.test.', 'app.test', { host: 'app.test' })).toMatch(/Reused,[^]*HTTP\/1\.1 200/)
  })

  it('of a visitor who names no server is resumed for one, and leads nowhere that has a certificate of its own', async () => {
    expect(await resume(null, null, { node: 1 })).toMatch(/Reused,[^]*HTTP\/1\.1 421/)
  })

  it.each([
    ['www.app.test', 'app.test', 'of another certificate'],
    ['app.test', 'www.app.test', 'of another certificate'],
    ['also-app.test', 'app.test', 'of the same certificate'],
    ['two.wild.test', 'one.wild.test', 'under the same wildcard'],
    ['app.test', 'unknown.example', 'of a name that nobody serves'],
    ['app.test', null, 'of no name'],
    [null, 'app.test', 'of a name, offered without one'],
    [null, 'unknown.example', 'of a name that nobody serves, offered without one'],
  ])('is not resumed for %s when it is one of %s: %s', async (name, of, _case) => {
    const output = await resume(name, of)
    expect(output).toMatch(name === null ? /New, TLSv1[^]*HTTP\/1\.1 421/ : /New, TLSv1[^]*HTTP\/1\.1 200/)
    expect(output).not.toContain('Reused,')
  })

  it('that is resumed leads to no name that its certificate does not cover', async () => {
    expect(await resume('app.test', 'app.test', { host: 'one.wild.test' })).toMatch(/Reused,[^]*HTTP\/1\.1 421/)
  })
})

it('names beyond those that are remembered, or that come too fast, are served without sessions', async () => {
  const upstream = stack.use(await startHttpUpstream())
  const limits = { tlsNamesMaxCount: 1, tlsNamesBurst: 2, tlsNamesPerSecond: 0 }
  await using edge = await startTestEdge({ upstreamPort: upstream.port, ticketKeys, limits })
  const isResumed = async (servername: string) => {
    const begun = await visit(edge.tlsPort, servername)
    return (await visit(edge.tlsPort, servername, begun.session)).isResumed
  }
  expect(await isResumed('app.test')).toBe(true)
  expect(await isResumed('www.app.test')).toBe(true)
  expect(await isResumed('app.test')).toBe(false)
  expect(await isResumed('www.app.test')).toBe(true)
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
  secret = randomBytes(48)
  for (const rotated of rotations) rotated()
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
