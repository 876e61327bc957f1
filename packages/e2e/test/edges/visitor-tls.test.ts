import { once } from 'node:events'
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { readFile, writeFile } from 'node:fs/promises'
import { connect as connectTls } from 'node:tls'
import { runProcess, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CertificateFiles, ClientAuthority } from '../../src/client-certificates.ts'
import { EdgeWorld } from '../../src/edge-world.ts'
import { eventually } from '../../src/eventually.ts'

let world: EdgeWorld
let dir: Awaited<ReturnType<typeof tempDir>>
let trusted: ClientAuthority
let known: CertificateFiles
let stranger: CertificateFiles
let authorityId: string
let hello: { readonly id: string }
beforeAll(async () => {
  world = await EdgeWorld.start()
  dir = await tempDir()
  trusted = await ClientAuthority.create(dir.path, 'trusted')
  known = await trusted.sign('known')
  stranger = await (await ClientAuthority.create(dir.path, 'other')).sign('stranger')
  authorityId = (await world.create('/certificate_authorities', { ca_pem: trusted.pem })).id
  hello = await world.create('/backends/http_response', { body: 'come in' })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
})

const shown = ({ cert, key }: CertificateFiles) => ['--cert', cert, '--key', key]

/** An HTTPS edge that answers by itself, with these modules. */
async function createOpenEdge(label: string, modules: object = {}): Promise<{ id: string; host: string }> {
  const edge = await world.createEdge(label)
  const route = { match_type: 'path_prefix', match: '/', backend: { backend_id: hello.id } }
  await world.create(`/edges/https/${edge.id}/routes`, route)
  if (Object.keys(modules).length > 0) await world.account.call('PATCH', `/edges/https/${edge.id}`, modules)
  return edge
}

const mutual = () => ({ mutual_tls: { certificate_authority_ids: [authorityId] } })
const code = (answer: { headers: Headers }) => answer.headers.get('service-error-code')

describe('an HTTPS edge with mutual_tls', () => {
  it('lets in who shows a certificate of a trusted authority, and nobody else', async () => {
    const { host, id } = await createOpenEdge('vault', mutual())
    await eventually(async () => expect(await world.visit(host, '/', ...shown(known))).toMatchObject({ status: 200 }))
    for (const version of ['--http1.1', '--http2', '--tlsv1.3'])
      expect(await world.visit(host, '/', version, ...shown(known))).toMatchObject({ status: 200, body: 'come in' })
    expect(await world.visit(host, '/', '--tls-max', '1.2', ...shown(known))).toMatchObject({ status: 200 })
    for (const args of [[], ['--http1.1'], ['--tls-max', '1.2'], shown(stranger)]) {
      const answer = await world.visit(host, '/', ...args)
      expect([answer.status, code(answer)]).toEqual([403, 'ERR_SERVICE_3824'])
    }
    const { ports } = world.service
    const plain = await fetch(`http://127.0.0.1:${ports.edgeHttp}/`, { headers: { host } })
    expect(plain.status).not.toBe(200)
    await world.account.call('PUT', `/edges/https/${id}/mutual_tls`, { ...mutual().mutual_tls, enabled: false })
    await eventually(async () => expect(await world.visit(host, '/')).toMatchObject({ status: 200 }))
  })

  it('takes chains, but no certificate that has expired or whose authority it does not name', async () => {
    const below = await trusted.below('below')
    const branch = await below.sign('branch')
    const chain = join(dir.path, 'chain.pem')
    await writeFile(chain, (await readFile(branch.cert, 'utf8')) + below.pem)
    const { host } = await createOpenEdge('tree', mutual())
    await eventually(async () => expect(await world.visit(host, '/', ...shown(known))).toMatchObject({ status: 200 }))
    const statusOfVisit = async (name: string, files: CertificateFiles) =>
      (await world.visit(name, '/', ...shown(files))).status
    expect(await statusOfVisit(host, { ...branch, cert: chain })).toBe(200)
    expect(await statusOfVisit(host, branch)).toBe(403)
    expect(await statusOfVisit(host, await trusted.signExpired('late'))).toBe(403)
    const { id } = await world.create('/certificate_authorities', { ca_pem: below.pem })
    const narrow = await createOpenEdge('twig', { mutual_tls: { certificate_authority_ids: [id] } })
    await eventually(async () => expect(await statusOfVisit(narrow.host, branch)).toBe(200))
    expect(await statusOfVisit(narrow.host, known)).toBe(403)
  })

  it('is not reached over connections that were opened for another name, nor over old ones after a change', async () => {
    const open = await createOpenEdge('lobby')
    const closed = await createOpenEdge('safe', mutual())
    await eventually(async () =>
      expect(await world.visit(closed.host, '/', ...shown(known))).toMatchObject({ status: 200 }),
    )
    const fromLobby = await session(open.host)
    expect(await statusOf(fromLobby, open.host)).toBe(200)
    expect(await statusOf(fromLobby, closed.host)).toBe(421)
    const proven = await session(closed.host, known)
    expect(await statusOf(proven, closed.host)).toBe(200)
    const second = await ClientAuthority.create(dir.path, 'second')
    const { id } = await world.create('/certificate_authorities', { ca_pem: second.pem })
    const changed = { certificate_authority_ids: [id] }
    await world.account.call('PUT', `/edges/https/${closed.id}/mutual_tls`, changed)
    await eventually(async () => expect(await statusOf(proven, closed.host)).toBe(421))
    expect(await world.visit(closed.host, '/', ...shown(known))).toMatchObject({ status: 403 })
    expect(await world.visit(closed.host, '/', ...shown(await second.sign('newcomer')))).toMatchObject({ status: 200 })
    fromLobby.close()
    proven.close()
  })

  it.each(['1.2', '1.3'])(
    'does not take a TLS %s session of another name, or of its own, for a proof',
    async (version) => {
      const open = await createOpenEdge(`hall${version.at(-1)}`)
      const closed = await createOpenEdge(`cell${version.at(-1)}`, mutual())
      await eventually(async () =>
        expect(await world.visit(closed.host, '/', ...shown(known))).toMatchObject({ status: 200 }),
      )
      const file = join(dir.path, `session-${version}`)
      const flag = version === '1.2' ? '-tls1_2' : '-tls1_3'
      await ask(open.host, flag, '-sess_out', file)
      expect(await ask(open.host, flag, '-sess_in', file)).toMatch(/Reused/)
      const crossed = await ask(closed.host, flag, '-sess_in', file)
      expect(crossed).not.toMatch(/Reused/)
      expect(crossed).toContain('ERR_SERVICE_3824')
      await ask(closed.host, flag, '-cert', known.cert, '-key', known.key, '-sess_out', file)
      expect(await ask(closed.host, flag, '-sess_in', file)).toContain('ERR_SERVICE_3824')
    },
  )
})

/** One request by `openssl s_client`; what it prints, the answer with it. */
function ask(host: string, ...args: readonly string[]): Promise<string> {
  const { ports } = world.service
  const client = ['s_client', '-connect', `127.0.0.1:${ports.edgeHttps}`, '-servername', host, '-ign_eof', ...args]
  const request = `GET / HTTP/1.1\\r\\nHost: ${host}\\r\\nConnection: close\\r\\n\\r\\n`
  return runProcess('sh', ['-c', `printf '${request}' | timeout 20 openssl ${client.join(' ')} 2>&1`])
}

async function session(host: string, files?: CertificateFiles): Promise<ClientHttp2Session> {
  const { ports, caFile } = world.service
  const own = files && { cert: await readFile(files.cert), key: await readFile(files.key) }
  const options = { servername: host, ca: await readFile(caFile), ...own }
  const opened = connectHttp2(`https://127.0.0.1:${ports.edgeHttps}`, options)
  await once(opened, 'connect')
  return opened
}

async function statusOf(opened: ClientHttp2Session, authority: string): Promise<number | undefined> {
  const stream = opened.request({ ':authority': authority, ':path': '/' })
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
  stream.resume()
  return Number(headers[':status'])
}

it('min_version holds for the names of its edge alone', async () => {
  const modern = await createOpenEdge('modern', { tls_termination: { min_version: '1.3' } })
  const usual = await createOpenEdge('usual')
  await eventually(async () =>
    expect(world.visit(modern.host, '/', '--tls-max', '1.2')).rejects.toThrow(/alert protocol version|handshake/i),
  )
  expect(await world.visit(modern.host, '/')).toMatchObject({ status: 200 })
  expect(await world.visit(usual.host, '/', '--tls-max', '1.2')).toMatchObject({ status: 200 })
})

describe('a TLS edge where TLS ends', () => {
  let upstream: Server
  beforeAll(async () => {
    upstream = createServer({ allowHalfOpen: true }, echoUntilTheEnd).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const agent = await world.startAgent()
    const { port } = upstream.address() as AddressInfo
    await agent.createTunnel({ protocol: 'tcp', forwards_to: `127.0.0.1:${port}`, labels: { plain: 'yes' } })
  })
  afterAll(() => upstream.close())

  async function createTlsEdge(label: string, modules: object) {
    const host = `${label}.${world.service.zone}`
    await world.create('/reserved_domains', { domain: host })
    const group = await world.create('/backends/tunnel_group', { labels: { plain: 'yes' } })
    const backend = { backend_id: group.id }
    await world.create('/edges/tls', { hostports: [`${host}:443`], backend, ...modules })
    return host
  }

  it('shows the certificate of the edge, and passes what is within on, each side ending on its own', async () => {
    const host = await createTlsEdge('opened', { tls_termination: { terminate_at: 'edge' } })
    await eventually(async () => expect(await say(host, 'x'.repeat(200_000))).toBe(`heard ${'x'.repeat(200_000)}`))
  })

  it('asks for certificates, and ends the handshake of who has none', async () => {
    const host = await createTlsEdge('guarded', { tls_termination: { min_version: '1.3' }, ...mutual() })
    await eventually(async () => expect(await say(host, 'me', known)).toBe('heard me'))
    await expect(say(host, 'nobody')).rejects.toThrow(/certificate required/)
    expect(await say(host, 'a stranger', stranger).catch(() => '')).toBe('')
  })

  it('takes nobody in when certificates are wanted where TLS does not end', async () => {
    const host = await createTlsEdge('closed', mutual())
    await expect(say(host, 'me', known)).rejects.toThrow(/ECONNRESET|disconnected/)
  })

  async function say(host: string, said: string, files?: CertificateFiles): Promise<string> {
    const { ports, caFile } = world.service
    const own = files && { cert: await readFile(files.cert), key: await readFile(files.key) }
    const ca = await readFile(caFile)
    const place = { host: '127.0.0.1', port: ports.edgeHttps, servername: host, allowHalfOpen: true }
    const socket = connectTls({ ...place, ca, ...own })
    socket.end(said)
    return await text(socket)
  }
})

/** Says everything back only when the visitor has ended, so that a lost half-close shows. */
function echoUntilTheEnd(socket: Socket): void {
  const chunks: Buffer[] = []
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => void chunks.push(chunk))
  socket.on('end', () => socket.end(Buffer.concat([Buffer.from('heard '), ...chunks])))
}
