import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../../src/eventually.ts'
import { Stack } from '../../src/stack.ts'
import { throwAwayCertificate } from '../../src/throw-away-certificate.ts'

interface Made {
  readonly id: string
  readonly addr: string
}

let stack: Stack
let upstream: Server
beforeAll(async () => {
  stack = await Stack.start()
  upstream = await listening(createServer({ allowHalfOpen: true }, echoUntilTheEnd))
})
afterAll(async () => {
  upstream.close()
  await stack[Symbol.asyncDispose]()
})

/** Says everything back only when the visitor has ended, so that a lost half-close shows. */
function echoUntilTheEnd(socket: Socket): void {
  const chunks: Buffer[] = []
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => void chunks.push(chunk))
  socket.on('end', () => socket.end(Buffer.concat([Buffer.from('heard '), ...chunks])))
}

async function listening(server: Server): Promise<Server> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

const portOf = (server: Server) => (server.address() as AddressInfo).port
const portIn = ({ addr }: Made) => Number(addr.split(':')[1])

async function create(path: string, body: object): Promise<Made> {
  return (await stack.account.call('POST', path, body)) as Made
}

/** What comes back when a visitor says this and ends, or the code of the failure. */
async function exchange(port: number, said: string, localAddress = '127.0.0.1'): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port, localAddress, allowHalfOpen: true })
  try {
    await once(socket, 'connect')
    socket.end(said)
    return await text(socket)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

async function until(check: () => Promise<string | undefined>, expected: string): Promise<void> {
  await eventually(async () => expect(await check()).toBe(expected))
}

it('a TCP edge leads its reserved port to a tunnel group, restricted by address, and across restarts', async () => {
  const reserved = await create('/reserved_addrs', {})
  const port = portIn(reserved)
  const group = await create('/backends/tunnel_group', { labels: { app: 'shell' } })
  const spare = await create('/backends/failover', { backends: [group.id] })
  const edge = await create('/edges/tcp', { hostports: [reserved.addr], backend: { backend_id: spare.id } })
  await until(() => exchange(port, 'nobody'), 'ECONNRESET')
  await stack.agent.createTunnel({
    protocol: 'tcp',
    forwards_to: `127.0.0.1:${portOf(upstream)}`,
    labels: { app: 'shell', site: 'a' },
  })
  expect(await exchange(port, 'a word')).toBe('heard a word')
  expect(await exchange(port, 'x'.repeat(3_000_000))).toHaveLength(3_000_006)

  const policy = await create('/ip_policies', {})
  await create('/ip_policy_rules', { ip_policy_id: policy.id, cidr: '127.0.0.1/32', action: 'allow' })
  await stack.account.call('PUT', `/edges/tcp/${edge.id}/ip_restriction`, { ip_policy_ids: [policy.id] })
  await until(() => exchange(port, 'a stranger', '127.0.0.77'), 'ECONNRESET')
  expect(await exchange(port, 'a friend')).toBe('heard a friend')

  await stack.restartService()
  await until(() => exchange(port, 'again'), 'heard again')
  const metrics = await (await fetch(`${stack.service.apiUrl}/metrics`)).text()
  expect(metrics).toMatch(/^edge_raw_connections 0$/m)
  expect(metrics).toMatch(/^edge_raw_connections_total\{outcome="carried"\} [1-9]/m)
  expect(metrics).toMatch(/^edge_raw_bytes_total\{direction="sent"\} [1-9]/m)
  await stack.account.call('DELETE', `/edges/tcp/${edge.id}`)
  await until(() => exchange(port, 'gone'), 'ECONNREFUSED')
})

it('an agent takes the address that its account has reserved, and no other', async () => {
  const reserved = await create('/reserved_addrs', {})
  const forwards_to = `127.0.0.1:${portOf(upstream)}`
  const tunnel = await stack.agent.createTunnel({ protocol: 'tcp', forwards_to, domain: reserved.addr })
  expect(tunnel).toMatchObject({ url: `tcp://${reserved.addr}`, domain: reserved.addr })
  expect(await exchange(portIn(reserved), 'hello')).toBe('heard hello')
  await stack.restartAgent()
  await until(() => exchange(portIn(reserved), 'once more'), 'heard once more')
  const foreign = reserved.addr.replace(/\d+$/, (port) => String(Number(port) === 20_000 ? 20_001 : 20_000))
  await expect(stack.agent.createTunnel({ protocol: 'tcp', forwards_to, domain: foreign })).rejects.toThrow(
    /is not reserved by this account/,
  )
})

it('a TLS edge leads its name to a tunnel group, and the upstream shows its own certificate', async () => {
  const name = `secret.${stack.service.zone}`
  const { certificate, key } = await throwAwayCertificate(name, true)
  const server = createTlsServer({ key, cert: certificate }, (socket) => socket.end('inside'))
  await listening(server)
  await create('/reserved_domains', { domain: name })
  const group = await create('/backends/tunnel_group', { labels: { tls: 'yes' } })
  await create('/edges/tls', { hostports: [`${name}:443`], backend: { backend_id: group.id } })
  await stack.agent.createTunnel({
    protocol: 'tls',
    forwards_to: `127.0.0.1:${portOf(server)}`,
    labels: { tls: 'yes' },
  })
  const port = stack.service.ports.edgeHttps
  const visit = async () => {
    const socket = connectTls({ host: '127.0.0.1', port, servername: name, ca: certificate })
    await once(socket, 'secureConnect')
    return text(socket)
  }
  await eventually(async () => expect(await visit()).toBe('inside'))
  server.close()
})

it('policies of TCP and TLS edges decide when a connection arrives, and their changes act on the next', async () => {
  const reserved = await create('/reserved_addrs', {})
  const port = portIn(reserved)
  const group = await create('/backends/tunnel_group', { labels: { app: 'guarded' } })
  const forwards_to = `127.0.0.1:${portOf(upstream)}`
  const labels = { app: 'guarded' }
  await stack.agent.createTunnel({ protocol: 'tcp', forwards_to, labels })
  const deny = [{ type: 'deny' }]
  const edge = await create('/edges/tcp', {
    hostports: [reserved.addr],
    backend: { backend_id: group.id },
    policy: { inbound: [{ expressions: ["conn.client_ip == '127.0.0.66'"], actions: deny }] },
  })
  await until(() => exchange(port, 'a friend'), 'heard a friend')
  expect(await exchange(port, 'a stranger', '127.0.0.66')).toBe('ECONNRESET')

  const value = 'on_tcp_connect:\n  - actions:\n      - {type: restrict-ips, config: {allow: [127.0.0.1]}}\n'
  await stack.account.call('PUT', `/edges/tcp/${edge.id}/traffic_policy`, { value })
  await until(() => exchange(port, 'a guest', '127.0.0.77'), 'ECONNRESET')
  expect(await exchange(port, 'a friend')).toBe('heard a friend')
  await stack.account.call('DELETE', `/edges/tcp/${edge.id}/traffic_policy`)
  await until(() => exchange(port, 'a guest', '127.0.0.77'), 'heard a guest')
  const ofRequests = { inbound: [{ expressions: ["req.method == 'GET'"], actions: deny }] }
  await expect(stack.account.call('PUT', `/edges/tcp/${edge.id}/policy`, ofRequests)).rejects.toThrow(
    /not available in this phase/,
  )

  const name = `guarded.${stack.service.zone}`
  await create('/reserved_domains', { domain: name })
  await create('/edges/tls', {
    hostports: [`${name}:443`],
    backend: { backend_id: group.id },
    traffic_policy: {
      value: JSON.stringify({ inbound: [{ expressions: [`endpoint.host == '${name}'`], actions: deny }] }),
    },
  })
  const socket = connectTls({ host: '127.0.0.1', port: stack.service.ports.edgeHttps, servername: name })
  await expect(once(socket, 'secureConnect')).rejects.toThrow('ECONNRESET')
})
