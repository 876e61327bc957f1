import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type Socket, connect } from 'node:net'
import { processUsage } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curl } from '../../src/curl.ts'
import { dialSession, openSession } from '../../src/session-client.ts'
import { Stack } from '../../src/stack.ts'

const IDLE_SOCKETS = process.env['TEST_LONG'] ? 10_000 : 1500
const MEMORY_PER_SOCKET_MAX_BYTES = 60_000

let stack: Stack
let host: string

beforeAll(async () => {
  stack = await Stack.start()
  host = await stack.publish('bystander')
})
afterAll(() => stack[Symbol.asyncDispose]())

const sessionsAddress = (): { connectUrl: string; ca: Buffer } => ({
  connectUrl: stack.service.connectUrl(),
  ca: readFileSync(stack.service.caFile),
})

/** A frame as in docs/protocol.md, section 2. */
function frame(type: number, streamId: number, payload: Buffer, flags = 0): Buffer {
  const header = Buffer.alloc(8)
  header.writeUIntBE(payload.length, 0, 3)
  header.writeUInt8((type << 4) | flags, 3)
  header.writeUInt32BE(streamId, 4)
  return Buffer.concat([header, payload])
}

const attacks: readonly { readonly name: string; readonly message: () => Buffer | string }[] = [
  { name: 'noise', message: () => Buffer.from('GET / HTTP/1.1\r\n\r\n') },
  { name: 'text', message: () => '{"type":"hello"}' },
  { name: 'an unknown frame type', message: () => frame(15, 0, Buffer.alloc(0)) },
  { name: 'a frame that is longer than its message', message: () => frame(7, 0, Buffer.alloc(20)).subarray(0, 12) },
  { name: 'control that is not JSON', message: () => frame(7, 0, Buffer.from('{')) },
  { name: 'a hello without its fields', message: () => frame(7, 0, Buffer.from('{"type":"hello"}')) },
  { name: 'a message over the bound', message: () => Buffer.alloc(600_000) },
]

describe('a peer that never authenticates', () => {
  it.each(attacks)('is closed when it sends $name', async ({ message }) => {
    const { webSocket } = await dialSession(sessionsAddress())
    webSocket.on('error', () => {})
    webSocket.send(message())
    const [code] = await once(webSocket, 'close')
    expect(code).not.toBe(1006)
    await expectUndisturbed()
  })

  it('is closed when its hello does not come', async () => {
    const { webSocket } = await dialSession(sessionsAddress())
    const startedAt = performance.now()
    await once(webSocket, 'close')
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    await expectUndisturbed()
  })
})

describe('a peer that is an agent', () => {
  const attacksInSession = [
    { name: 'data for a stream that was never opened', message: frame(2, 999, Buffer.from('x')) },
    { name: 'a stream with an id of the service', message: frame(1, 1000, Buffer.from([1, 1, 97, 0])) },
    { name: 'credit beyond the bound', message: frame(3, 999, Buffer.from([0xff, 0xff, 0xff, 0xff])) },
  ]

  it.each(attacksInSession)('is closed when it sends $name', async ({ message }) => {
    const { webSocket, ended } = await openSession({ ...sessionsAddress(), authtoken: stack.agentSetup.authtoken })
    webSocket.send(message)
    const ending = await ended
    expect(ending).toMatchObject({ by: 'peer' })
    expect(ending.code).toMatch(/_error$/)
    await expectUndisturbed()
  })

  it.each([
    ['lists', nested('[', ']')],
    ['objects', nested('{"a":', '}', '1')],
    ['lists in an action', `{"on_http_request":[{"actions":[{"type":"deny","config":{"x":${nested('[', ']')}}}]}]}`],
  ])('is answered when its policy holds %s that are nested as deep as a message can hold', async (_what, policy) => {
    const peer = await openSession({ ...sessionsAddress(), authtoken: stack.agentSetup.authtoken })
    const fields = { bindId: 'deep', protocol: 'http', forwardsTo: 'localhost:1', upstreamProtocol: 'http1' }
    const others = JSON.stringify({ type: 'bind', domain: null, labels: null, metadata: null, ...fields })
    const bind = `${others.slice(0, -1)},"policy":${policy}}`
    const answered = once(peer.webSocket, 'message')
    peer.webSocket.send(frame(7, 0, Buffer.from(bind)))
    expect(String(await answered)).toContain('"reason":"policy_invalid"')
    await expectUndisturbed()
  })
})

it('thousands of idle sockets neither slow visitors down nor fill memory', async () => {
  const ports = [stack.service.ports.edgeHttp, stack.service.ports.edgeHttps, stack.service.ports.api]
  const before = processUsage([stack.service.process.pid]).rssBytes
  const sockets = await Promise.all(Array.from({ length: IDLE_SOCKETS }, (_, n) => open(ports[n % ports.length] ?? 0)))
  const grown = processUsage([stack.service.process.pid]).rssBytes - before
  const startedAt = performance.now()
  const answer = await curl(stack.httpUrl(host))
  expect(answer.status).toBe(200)
  expect(performance.now() - startedAt).toBeLessThan(1000)
  expect(grown / IDLE_SOCKETS).toBeLessThan(MEMORY_PER_SOCKET_MAX_BYTES)
  for (const socket of sockets) socket.destroy()
})

/** As deep as a control message can hold. */
function nested(opening: string, closing: string, innermost = ''): string {
  const depth = Math.floor(250_000 / (opening.length + closing.length))
  return opening.repeat(depth) + innermost + closing.repeat(depth)
}

async function expectUndisturbed(): Promise<void> {
  expect((await curl(stack.httpUrl(host))).body).toBe('Hello, World!')
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}
