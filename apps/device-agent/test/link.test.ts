import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer, connect, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { type RunningProcess, runProcess, startProcess, type TempDir, tempDir } from '@tunnel/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeService } from './fake-service.ts'
import { selfSigned } from './self-signed.ts'
import { isThorough } from './thorough.ts'

/** Real interfaces and addresses need a network namespace of our own. */
const canIsolate =
  isThorough &&
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  (await runProcess('ip', ['netns', 'list']).then(
    () => true,
    () => false,
  ))

const name = `agent-${process.pid}`
/** Names of interfaces have at most 15 characters. */
const outside = `veth-${process.pid}`
const host = 'connect.test'
const here = { v4: '10.217.44.1', v6: 'fd17:44::1' }
const there = { v4: '10.217.44.2', v6: 'fd17:44::2' }
const program = join(import.meta.dirname, '../src/main.ts')

let service: FakeService
let state: TempDir
let agent: RunningProcess | null
let entrance: Server
const sockets = new Set<Socket>()

beforeEach(async () => {
  const tls = await selfSigned(host, { from: -1, to: 1 })
  service = await FakeService.start(tls)
  // So slow that whatever is noticed here is not noticed by silence.
  const { greet } = service.script
  service.script.greet = (hello, turn) => {
    const message = greet(hello, turn)
    return message?.type === 'welcome'
      ? { ...message, heartbeat: { intervalMs: 60_000, toleranceMs: 60_000 } }
      : message
  }
  state = await tempDir()
  await writeFile(join(state.path, 'ca.pem'), tls.cert)
  agent = null
  if (!canIsolate) return
  await mkdir(`/etc/netns/${name}`, { recursive: true })
  await resolveTo(here.v4)
  await writeFile(`/etc/netns/${name}/resolv.conf`, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n')
  await ip(`netns add ${name}`)
  await ip(`link add ${outside} type veth peer name up0 netns ${name}`)
  await ip(`link set ${outside} up`)
  await ip(`addr add ${here.v4}/24 dev ${outside}`)
  await ip(`addr add ${here.v6}/64 dev ${outside} nodad`)
  await ip(`-n ${name} link set lo up`)
  await ip(`-n ${name} link set up0 up`)
  entrance = createServer((socket) => {
    const onward = connect(service.port, '127.0.0.1')
    for (const end of [socket, onward]) sockets.add(end.on('error', () => undefined))
    socket.pipe(onward).pipe(socket)
  })
  await once(entrance.listen(0, '::'), 'listening')
})

afterEach(async () => {
  await agent?.stop()
  for (const socket of sockets) socket.destroy()
  await service[Symbol.asyncDispose]()
  await state[Symbol.asyncDispose]()
  if (!canIsolate) return
  entrance.close()
  await ip(`link del ${outside}`)
  await ip(`netns del ${name}`)
  await rm(`/etc/netns/${name}`, { recursive: true })
})

const ip = (command: string): Promise<string> => runProcess('ip', command.split(' '))
/** What the service's name stands for in there; written in place, because the namespace holds on to the file. */
const resolveTo = (...addresses: string[]): Promise<void> =>
  writeFile(`/etc/netns/${name}/hosts`, addresses.map((address) => `${address} ${host}\n`).join(''))
const port = (): number => (entrance.address() as { port: number }).port

async function start(): Promise<void> {
  const env = {
    AGENT_STATE_DIR: state.path,
    AGENT_API_LISTEN: '127.0.0.1:0',
    SERVICE_AUTHTOKEN: 'cr_x_y',
    SERVICE_CONNECT_URL: `wss://${host}:${port()}`,
    SERVICE_CONNECT_CA_FILE: join(state.path, 'ca.pem'),
  }
  agent = await startProcess('ip', ['netns', 'exec', name, process.execPath, program, 'run'], { env })
}

describe.runIf(canIsolate)('the network around an agent', () => {
  it('a lost link is noticed in 5 seconds, and one that is back is used at once', async () => {
    await ip(`-n ${name} addr add ${there.v4}/24 dev up0`)
    await start()
    await service.untilSessions(1)
    await agent?.waitForOutput(/session online/)
    await ip(`-n ${name} link set up0 down`)
    await agent?.waitForOutput(/"no session"/, 5000)
    await ip(`-n ${name} link set up0 up`)
    await service.until(() => service.sessions.length === 2, 5000)
    expect(service.latest.hello.authtoken).toBe('cr_x_y')
  })

  it('a new address means a new session at once, with the same identity', async () => {
    await ip(`-n ${name} addr add ${there.v4}/24 dev up0`)
    await start()
    await service.untilSessions(1)
    await agent?.waitForOutput(/session online/)
    await ip(`-n ${name} addr del ${there.v4}/24 dev up0`)
    await ip(`-n ${name} addr add 10.217.44.3/24 dev up0`)
    await service.until(() => service.sessions.length === 2, 5000)
    expect(service.latest.hello.resume).toEqual({ clientId: 'client_0', cookie: 'cookie' })
  })

  it.each([
    ['IPv6 alone', `addr add ${there.v6}/64 dev up0 nodad`, ''],
    ['IPv4 alone', `addr add ${there.v4}/24 dev up0`, ''],
    ['an IPv6 that leads nowhere beside IPv4', `addr add ${there.v4}/24 dev up0`, 'route add blackhole fd17:44::/64'],
  ])('a service with both kinds of addresses is reached over %s', async (_, address, route) => {
    await ip(`-n ${name} ${address}`)
    if (route !== '') await ip(`-n ${name} ${route}`)
    await resolveTo(here.v6, here.v4)
    await start()
    await service.untilSessions(1)
    expect(service.latest.hello.authtoken).toBe('cr_x_y')
  })

  it('names that cannot be resolved are named as the reason, and tried again until they can', async () => {
    await resolveTo()
    await ip(`-n ${name} addr add ${there.v4}/24 dev up0`)
    await start()
    await agent?.waitForOutput(/"reason":"dns_failed"/)
    await resolveTo(here.v4)
    await service.untilSessions(1)
    expect(service.latest.hello.authtoken).toBe('cr_x_y')
  })
})
