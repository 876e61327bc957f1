import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { defaultLimits } from '@tunnel/session-protocol'
import { type HttpUpstream, startHttpUpstream, startProcess } from '@tunnel/testkit'
import { EdgeWorld } from '../../src/edge-world.ts'
import { eventually } from '../../src/eventually.ts'

const isLong = process.env['TEST_LONG'] !== undefined
const crowd = isLong ? 10_000 : 2_000
const roomOfTunnel = defaultLimits.maxStreams * defaultLimits.streamShareOfBind
/** What a visitor of another tunnel may wait meanwhile; the machine is busy with the crowd. */
const bystanderMaxMs = 1_000

let world: EdgeWorld
let agent: Awaited<ReturnType<EdgeWorld['startAgent']>>
let bystander: string
let program: Server
let upstream: HttpUpstream
const served = new Set<Socket>()
const visitors: Socket[] = []
beforeAll(async () => {
  world = await EdgeWorld.start()
  agent = await world.startAgent()
  upstream = await startHttpUpstream()
  bystander = `bystander.${world.service.zone}`
  await agent.createTunnel({ forwards_to: `127.0.0.1:${upstream.port}`, domain: bystander })
  program = createServer((socket) => {
    served.add(socket.on('error', () => undefined).on('close', () => served.delete(socket)))
    socket.write('welcome')
  }).listen(0, '127.0.0.1')
  await once(program, 'listening')
})
afterEach(() => {
  for (const visitor of visitors.splice(0)) visitor.destroy()
})
afterAll(async () => {
  program.close()
  await world[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

async function tcpTunnelTo(port: number): Promise<number> {
  const { url } = await agent.createTunnel({ protocol: 'tcp', forwards_to: `127.0.0.1:${port}` })
  return Number(new URL(url).port)
}

/** `welcomed` by the program, or the code of how it was sent away. */
async function enter(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  visitors.push(socket)
  try {
    await once(socket, 'data')
    return 'welcomed'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'closed'
  } finally {
    socket.on('error', () => undefined)
  }
}

/** In groups, so that the kernel's queue of new connections holds them. */
async function enterAll(port: number, count: number): Promise<Map<string, number>> {
  const tally = new Map<string, number>()
  for (let done = 0; done < count; done += 100) {
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => enter(port)))
    for (const outcome of outcomes) tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
  }
  return tally
}

async function visitBystander(): Promise<number> {
  const from = performance.now()
  expect((await world.visit(bystander, '/')).status).toBe(200)
  return performance.now() - from
}

it('the idle connections of one tunnel have a bound, and leave room for the other tunnels of the agent', async () => {
  const port = await tcpTunnelTo((program.address() as AddressInfo).port)
  const tally = await enterAll(port, crowd)
  expect(Object.fromEntries(tally)).toEqual({ welcomed: roomOfTunnel, ECONNRESET: crowd - roomOfTunnel })
  expect(await visitBystander()).toBeLessThan(bystanderMaxMs)
  const other = await tcpTunnelTo((program.address() as AddressInfo).port)
  expect(await enter(other)).toBe('welcomed')

  for (const visitor of visitors) visitor.destroy()
  await eventually(async () => expect(served.size).toBe(0))
  expect(await enter(port)).toBe('welcomed')
}, 60_000)

it('a crowd at a tunnel whose program is away is sent away, and costs others nothing', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port: upstreamPort } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  const port = await tcpTunnelTo(upstreamPort)
  const saidBefore = agent.process.output().length + world.service.process.output().length
  const [tally, ...waits] = await Promise.all([enterAll(port, crowd), visitBystander(), visitBystander()])
  expect(Object.fromEntries(tally)).toEqual({ ECONNRESET: crowd })
  for (const waitMs of waits) expect(waitMs).toBeLessThan(bystanderMaxMs)
  const said = agent.process.output().length + world.service.process.output().length - saidBefore
  expect(said / crowd).toBeLessThan(1000)
  const metrics = await (await fetch(`${world.service.apiUrl}/metrics`)).text()
  expect(metrics).toMatch(/^edge_raw_connections 0$/m)
}, 60_000)

it.runIf(isLong)(
  'visitors of a program that takes no connections are sent away when dialling has taken too long',
  async () => {
    await using stuck = await startProcess(process.execPath, ['-e', listenAndSayPort])
    await eventually(async () => expect(stuck.output()).toMatch(/^\d+\n/))
    const upstreamPort = Number.parseInt(stuck.output(), 10)
    process.kill(stuck.pid, 'SIGSTOP')
    // The kernel takes a few for it, and then answers nobody.
    for (let i = 0; i < 8; i += 1) visitors.push(connect(upstreamPort, '127.0.0.1').on('error', () => undefined))
    const port = await tcpTunnelTo(upstreamPort)
    const from = performance.now()
    const leaving = Promise.all(Array.from({ length: 50 }, () => enter(port)))
    expect(await visitBystander()).toBeLessThan(bystanderMaxMs)
    expect(new Set(await leaving)).toEqual(new Set(['ECONNRESET']))
    expect(performance.now() - from).toBeLessThan(15_000)
    process.kill(stuck.pid, 'SIGCONT')
  },
  30_000,
)

const listenAndSayPort = `
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`
