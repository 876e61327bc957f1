import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type LookupFunction, connect } from 'node:net'
import { Agent, EventSource } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { browserProgram, startBrowser } from '../../src/browser.ts'
import { Stack } from '../../src/stack.ts'

let stack: Stack
let host: string

beforeAll(async () => {
  stack = await Stack.start()
  host = await stack.publish('streams')
})
afterAll(() => stack[Symbol.asyncDispose]())

/** The resolver of the system does not know names below .localhost. */
const loopback: LookupFunction = (_name, options, answer) =>
  options.all ? answer(null, [{ address: '127.0.0.1', family: 4 }]) : answer(null, '127.0.0.1', 4)

const urls = [
  { name: 'HTTP', url: (path: string) => stack.httpUrl(host, path) },
  { name: 'HTTPS', url: (path: string) => stack.httpsUrl(host, path) },
]

describe.each(urls)('over $name', ({ url }) => {
  it('a WebSocket client exchanges text, binary and large messages', async () => {
    const ca = readFileSync(stack.service.caFile)
    const socket = new WebSocket(url('/socket').replace(/^http/, 'ws'), { lookup: loopback, ca })
    await once(socket, 'open')
    for (const message of [Buffer.from('text'), Buffer.from([0, 255, 1]), Buffer.alloc(1 << 20, 7)]) {
      socket.send(message)
      const [answer] = await once(socket, 'message')
      expect(Buffer.compare(answer as Buffer, message)).toBe(0)
    }
    socket.close(4000, 'done')
    const [code] = await once(socket, 'close')
    expect(code).toBe(4000)
  })

  it('an event source gets every event when it is written', async () => {
    const dispatcher = new Agent({ connect: { lookup: loopback, ca: readFileSync(stack.service.caFile) } })
    const source = new EventSource(url('/events?count=20&interval_ms=10'), { node: { dispatcher } })
    const delays: number[] = []
    await new Promise<void>((resolve) => {
      source.onmessage = ({ data }) => {
        delays.push(Number(process.hrtime.bigint() - BigInt(String(data))) / 1e6)
        if (delays.length === 20) resolve()
      }
    })
    source.close()
    await dispatcher.destroy()
    expect(Math.min(...delays)).toBeLessThan(5)
    expect(Math.max(...delays)).toBeLessThan(250)
  })
})

it.runIf(browserProgram)('a browser that reads a page over HTTP/2 opens a WebSocket beside it', async () => {
  await using browser = await startBrowser()
  const page = await browser.newPage({ ignoreHTTPSErrors: true })
  await page.goto(stack.httpsUrl(host, '/'))
  expect(await page.evaluate(`performance.getEntriesByType('navigation')[0].nextHopProtocol`)).toBe('h2')
  const answer = await page.evaluate(async () => {
    const socket = new globalThis.WebSocket('/socket')
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    const answered = new Promise<MessageEvent>((resolve) => socket.addEventListener('message', resolve))
    socket.send('from a page')
    const { data } = await answered
    return data instanceof Blob ? data.text() : String(data)
  })
  expect(answer).toBe('from a page')
})

it('sees that a visitor has left and closes its request at the upstream', async () => {
  const visitor = connect(stack.service.ports.edgeHttp, '127.0.0.1')
  visitor.write(`GET /drip?count=100000&interval_ms=5 HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await once(visitor, 'data')
  expect(stack.upstream.openRequestCount).toBe(1)
  visitor.destroy()
  await expect.poll(() => stack.upstream.openRequestCount).toBe(0)
})
