import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { EdgeWorld } from '../../src/edge-world.ts'
import { eventually } from '../../src/eventually.ts'

/** Longer than two heartbeats of a session in the long form. */
const quietMs = process.env['TEST_LONG'] === undefined ? 1_500 : 100_000
/** How soon a change that was answered has to act. */
const changeActsMs = 100

let world: EdgeWorld
/** The program: every connection that it takes is handed to the test. */
let program: Server
let programPort: number
/** Ends of connections, closed after each test. */
const open: Socket[] = []
let agent: Awaited<ReturnType<EdgeWorld['startAgent']>>
const labels = { app: 'raw' }
beforeAll(async () => {
  world = await EdgeWorld.start()
  program = createServer({ allowHalfOpen: true, noDelay: true }, track).listen(0, '127.0.0.1')
  await once(program, 'listening')
  programPort = (program.address() as AddressInfo).port
  agent = await world.startAgent()
  await agent.createTunnel({ protocol: 'tcp', forwards_to: `127.0.0.1:${programPort}`, labels })
})
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})
afterAll(async () => {
  program.close()
  await world[Symbol.asyncDispose]()
})

/** A TCP edge that leads to the program. */
async function createTcpEdge() {
  const { addr, id: addrId } = await world.create<{ id: string; addr: string }>('/reserved_addrs', {})
  const group = await world.create('/backends/tunnel_group', { labels })
  const { id } = await world.create('/edges/tcp', { hostports: [addr], backend: { backend_id: group.id } })
  const port = Number(addr.split(':')[1])
  await eventually(async () => (await pair(port)).visitor.destroy())
  return { id, addr, addrId, port }
}

function track<S extends Socket>(socket: S): S {
  open.push(socket)
  return socket.on('error', () => undefined)
}

/** Both ends of a new connection. */
async function pair(port: number, localAddress = '127.0.0.1'): Promise<{ visitor: Socket; served: Socket }> {
  const taken = once(program, 'connection', { signal: AbortSignal.timeout(5_000) }) as Promise<[Socket]>
  const visitor = track(connect({ host: '127.0.0.1', port, localAddress, allowHalfOpen: true, noDelay: true }))
  const refused = closingOf(visitor).then(() => Promise.reject(new Error('the connection was refused')))
  const [served] = await Promise.race([taken, refused])
  refused.catch(() => undefined)
  return { visitor, served }
}

/** When the connection is over, however it ended. */
function closingOf(socket: Socket): Promise<number> {
  return new Promise((resolve) => socket.once('close', () => resolve(performance.now())))
}

/** What comes until there are this many bytes, or the end. */
function read(socket: Socket, bytes = Infinity): Promise<string> {
  return new Promise((resolve) => {
    let got = ''
    const finish = () => {
      socket.off('data', onData).off('end', finish).pause()
      resolve(got)
    }
    const onData = (chunk: Buffer) => {
      got += chunk.toString('latin1')
      if (got.length >= bytes) finish()
    }
    socket.on('data', onData).on('end', finish)
  })
}

const codeOfEnd = async (socket: Socket) => {
  socket.resume()
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  return error.code
}

describe('a connection behaves through the service as it does directly', () => {
  const ways: { name: string; port: () => number }[] = []
  let edgePort: number
  beforeAll(async () => {
    edgePort = (await createTcpEdge()).port
  })
  ways.push({ name: 'directly', port: () => programPort }, { name: 'through a TCP edge', port: () => edgePort })

  describe.each(ways)('$name', ({ port }) => {
    it('either side may end first and still be answered', async () => {
      const one = await pair(port())
      one.visitor.end('question')
      expect(await read(one.served)).toBe('question')
      one.served.end('answer')
      expect(await read(one.visitor)).toBe('answer')
      const two = await pair(port())
      two.served.end('greeting')
      expect(await read(two.visitor)).toBe('greeting')
      two.visitor.end('x'.repeat(300_000))
      expect(await read(two.served)).toHaveLength(300_000)
    })

    it('a reset on one side is one on the other', async () => {
      const one = await pair(port())
      one.served.write('hello')
      await read(one.visitor, 5)
      one.visitor.resetAndDestroy()
      expect(await codeOfEnd(one.served)).toBe('ECONNRESET')
      const two = await pair(port())
      two.visitor.write('hello')
      await read(two.served, 5)
      two.served.resetAndDestroy()
      expect(await codeOfEnd(two.visitor)).toBe('ECONNRESET')
    })

    it('who does not read is not sent more than a bound, and gets all of it later', async () => {
      const { visitor, served } = await pair(port())
      const block = Buffer.alloc(256 * 1024, 'b')
      let sent = 0
      const isStuck = async () => {
        if (visitor.write(block)) return false
        return Promise.race([once(visitor, 'drain').then(() => false), sleep(500, true)])
      }
      do sent += block.length
      while (!(await isStuck()) && sent < 64 * 1024 * 1024)
      expect(sent).toBeLessThan(32 * 1024 * 1024)
      visitor.end()
      let received = 0
      for await (const chunk of served) received += (chunk as Buffer).length
      expect(received).toBe(sent)
      served.end()
    })

    it('quiet ones live on', async () => {
      const { visitor, served } = await pair(port())
      await sleep(quietMs)
      visitor.write('still there?')
      expect(await read(served, 12)).toBe('still there?')
      served.write('yes')
      expect(await read(visitor, 3)).toBe('yes')
    }, 150_000)
  })
})

/** How long after a change was answered a check succeeds. */
async function delayOf(check: () => Promise<boolean>): Promise<number> {
  const from = performance.now()
  while (!(await check())) if (performance.now() - from > 5_000) throw new Error('the change never acts')
  return performance.now() - from
}

const isRefused = (port: number, localAddress?: string) =>
  pair(port, localAddress).then(
    () => false,
    () => true,
  )

describe('a change acts at once', () => {
  it('a new IP restriction on who connects next; who is connected stays', async () => {
    const edge = await createTcpEdge()
    const { visitor, served } = await pair(edge.port)
    const policy = await world.create('/ip_policies', {})
    await world.create('/ip_policy_rules', { ip_policy_id: policy.id, cidr: '127.0.0.9/32', action: 'allow' })
    await world.account.call('PUT', `/edges/tcp/${edge.id}/ip_restriction`, { ip_policy_ids: [policy.id] })
    expect(await delayOf(() => isRefused(edge.port))).toBeLessThan(changeActsMs)
    expect(await isRefused(edge.port, '127.0.0.9')).toBe(false)
    visitor.write('on')
    expect(await read(served, 2)).toBe('on')
  })

  it('a deleted TCP edge on all its connections', async () => {
    const edge = await createTcpEdge()
    const { visitor } = await pair(edge.port)
    const cutAt = closingOf(visitor.resume())
    await world.account.call('DELETE', `/edges/tcp/${edge.id}`)
    const deletedAt = performance.now()
    expect((await cutAt) - deletedAt).toBeLessThan(changeActsMs)
    expect(await isRefused(edge.port)).toBe(true)
  })

  it('a deleted address on the tunnel that has it: it is stopped, and so are its connections', async () => {
    const { addr, id } = await world.create<{ id: string; addr: string }>('/reserved_addrs', {})
    const port = Number(addr.split(':')[1])
    await agent.createTunnel({ protocol: 'tcp', forwards_to: `127.0.0.1:${programPort}`, domain: addr })
    const { visitor } = await pair(port)
    const cutAt = closingOf(visitor.resume())
    await world.account.call('DELETE', `/reserved_addrs/${id}`)
    const deletedAt = performance.now()
    expect((await cutAt) - deletedAt).toBeLessThan(changeActsMs)
    expect(await isRefused(port)).toBe(true)
  })

  it('a deleted TLS edge on all its connections', async () => {
    const host = `cut.${world.service.zone}`
    await world.create('/reserved_domains', { domain: host })
    const group = await world.create('/backends/tunnel_group', { labels })
    const body = {
      hostports: [`${host}:443`],
      backend: { backend_id: group.id },
      tls_termination: { min_version: '1.3' },
    }
    const { id } = await world.create('/edges/tls', body)
    const ca = await readFile(world.service.caFile)
    const place = { host: '127.0.0.1', port: world.service.ports.edgeHttps, servername: host }
    const visitor = track(connectTls({ ...place, ca }))
    await once(program, 'connection')
    const cutAt = closingOf(visitor.resume())
    await world.account.call('DELETE', `/edges/tls/${id}`)
    const deletedAt = performance.now()
    expect((await cutAt) - deletedAt).toBeLessThan(changeActsMs)
  })
})

describe('websocket_tcp_converter', () => {
  let host: string
  beforeAll(async () => {
    const edge = await world.createEdge('bytes')
    host = edge.host
    const group = await world.create('/backends/tunnel_group', { labels })
    await world.create(`/edges/https/${edge.id}/routes`, {
      match_type: 'path_prefix',
      match: '/',
      backend: { backend_id: group.id },
      websocket_tcp_converter: { enabled: true },
    })
  })

  async function openWebSocket(): Promise<{ webSocket: WebSocket; served: Socket }> {
    const taken = once(program, 'connection', { signal: AbortSignal.timeout(5_000) }) as Promise<[Socket]>
    const { ports, caFile } = world.service
    const webSocket = new WebSocket(`wss://${host}:${ports.edgeHttps}/`, {
      ca: await readFile(caFile),
      lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }] as never, 4),
    })
    await once(webSocket, 'open')
    const [served] = await taken
    return { webSocket, served }
  }

  it('what messages hold are the bytes of a connection, both ways, to the end', async () => {
    const { webSocket, served } = await openWebSocket()
    webSocket.send('text and ')
    webSocket.send(Buffer.from('bytes'))
    expect(await read(served, 14)).toBe('text and bytes')
    served.write('answer')
    const [message, isBinary] = (await once(webSocket, 'message')) as [Buffer, boolean]
    expect([message.toString(), isBinary]).toEqual(['answer', true])
    const closed = once(webSocket, 'close')
    served.end('last')
    expect(String((await once(webSocket, 'message'))[0])).toBe('last')
    expect((await closed)[0]).toBe(1005)
  })

  it('ends the connection when the visitor closes, and refuses messages above the bound', async () => {
    const one = await openWebSocket()
    one.webSocket.close()
    expect(await read(one.served)).toBe('')
    const two = await openWebSocket()
    const closed = once(two.webSocket, 'close')
    two.webSocket.send(Buffer.alloc(2 * 1024 * 1024))
    expect((await closed)[0]).toBe(1009)
  })

  it('takes nothing but WebSockets', async () => {
    for (const version of ['--http1.1', '--http2']) {
      const answer = await world.visit(host, '/', version)
      expect([answer.status, answer.headers.get('service-error-code')]).toEqual([400, 'ERR_SERVICE_3206'])
    }
  })
})
