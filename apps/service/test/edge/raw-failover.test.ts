import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { Registry } from 'prom-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RouteBackend } from '../../src/edge/edge-route.ts'
import type { EdgeTunnel } from '../../src/edge/edge-tunnel.ts'
import { RawMetrics } from '../../src/edge/raw/raw-metrics.ts'
import { TcpPorts } from '../../src/edge/raw/tcp-ports.ts'
import { Balancer } from '../../src/routing/balancer.ts'
import { TcpStream } from './tcp-stream.ts'

/** A tunnel whose program can be away; it counts who came as far as the agent. */
class Member {
  readonly name: string
  dials = 0
  port = 1
  constructor(name: string) {
    this.name = name
  }

  /** The program runs from now on, and does this with every connection. */
  async start(serve: (socket: Socket, name: string) => void = echoUntilTheEnd): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined)
      serve(socket, this.name)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    this.port = portOf(server)
    onTestFinished(() => void server.close())
  }

  get tunnel(): EdgeTunnel {
    return {
      id: this.name,
      accountId: 'ac_1',
      url: '',
      forwardsTo: '',
      protocol: 'tcp',
      policy: null,
      upstreamProtocol: 'http1',
      openStream: (header) => {
        this.dials += 1
        return new TcpStream(this.port, header)
      },
    }
  }
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

function echoUntilTheEnd(socket: Socket, name: string): void {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => void chunks.push(chunk))
  socket.on('end', () => socket.end(`${name} heard ${Buffer.concat(chunks).toString('latin1')}`))
}

/** A port that leads to a group of these, as an edge does. */
async function groupOf(members: readonly Member[]) {
  const clock = { ms: 0 }
  const balancer = new Balancer<EdgeTunnel>(() => clock.ms)
  const tunnels = members.map(({ tunnel }) => tunnel)
  const backend: RouteBackend = {
    choose: (tried) => {
      const tunnel = balancer.choose(tunnels, tried)
      return tunnel === undefined
        ? { kind: 'none' }
        : { kind: 'tunnel', tunnel, use: { begin: () => balancer.begin(tunnel) } }
    },
  }
  const parts = { addressFilter: null, policies: [], termination: null, keep: () => () => undefined, backend }
  const edge = { id: 'edgtcp_1', accountId: 'ac_1', protocol: 'tcp' as const, ...parts }
  const port = await freePort()
  const ports = new TcpPorts({
    host: '127.0.0.1',
    first: port,
    last: port,
    connectionsMaxCount: 100,
    observers: [],
    proxied: null,
    restrictions: { find: () => null },
    region: 'local',
    rawMetrics: new RawMetrics(new Registry()),
    edges: { atPort: () => edge, isReserved: () => true },
  })
  onTestFinished(() => ports[Symbol.dispose]())
  await ports.follow(port)
  return { port, clock }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** What comes back when a visitor says this and ends, or the code of the failure. */
async function say(port: number, said: string): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.end(said)
  return text(socket).catch((error: NodeJS.ErrnoException) => error.code)
}

describe('a connection to a group', () => {
  it('goes on at the next tunnel when the program of the first is away, with all that was said', async () => {
    const [away, there] = [new Member('away'), new Member('there')]
    await there.start()
    const { port } = await groupOf([away, there])
    for (const said of ['', 'a word', 'x'.repeat(5000)]) expect(await say(port, said)).toBe(`there heard ${said}`)
    expect(away.dials).toBeGreaterThan(0)
  })

  it('is reset when nobody is left', async () => {
    const { port } = await groupOf([new Member('one'), new Member('two')])
    expect(await say(port, 'a word')).toBe('ECONNRESET')
  })

  it('never gets to a second program once the first has taken what was said', async () => {
    const [first, second] = [new Member('first'), new Member('second')]
    const seen: string[] = []
    const hangUp = (socket: Socket, name: string) =>
      socket.on('data', (chunk) => {
        seen.push(`${name} ${chunk.toString()}`)
        socket.resetAndDestroy()
      })
    await first.start(hangUp)
    await second.start(hangUp)
    const { port } = await groupOf([first, second])
    expect(await say(port, 'pay')).toBe('ECONNRESET')
    expect(seen).toHaveLength(1)
  })

  it('leaves a tunnel out after three failures, and comes back to it', async () => {
    const [lame, sound] = [new Member('lame'), new Member('sound')]
    await sound.start()
    const { port, clock } = await groupOf([lame, sound])
    for (let i = 0; i < 20; i += 1) expect(await say(port, 'hi')).toBe('sound heard hi')
    expect(lame.dials).toBe(3)
    await lame.start()
    expect(await say(port, 'hi')).toBe('sound heard hi')
    clock.ms += 10_001
    const heard = new Set<string | undefined>()
    for (let i = 0; i < 10; i += 1) heard.add(await say(port, 'hi'))
    expect(heard).toEqual(new Set(['lame heard hi', 'sound heard hi']))
  })
})
