import { runProcess, startTcpRelay, type TcpRelay } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curl } from '../../src/curl.ts'
import { eventually } from '../../src/eventually.ts'
import { Stack } from '../../src/stack.ts'
import { isThorough } from '../../src/thorough.ts'

const BODY_BYTES = 20_000_000

describe.runIf(isThorough).each(['tls', 'plain'] as const)('a session over a %s link', (carrier) => {
  let stack: Stack
  let relay: TcpRelay
  let host: string

  beforeAll(async () => {
    stack = await Stack.start({
      carrier,
      viaPort: async (port) => {
        relay = await startTcpRelay({ port })
        return relay.port
      },
    })
    host = await stack.publish(`link-${carrier}`)
  })
  afterAll(async () => {
    await stack[Symbol.asyncDispose]()
    await relay[Symbol.asyncDispose]()
  })

  const expectServed = (limitMs = 35_000): Promise<void> =>
    eventually(async () => expect((await curl(stack.httpUrl(host))).body).toBe('Hello, World!'), limitMs)

  it('is found dead within 5 seconds when it swallows everything, and is replaced', async () => {
    await expectServed()
    relay.swallow()
    const startedAt = performance.now()
    relay.heal()
    const visit = await curl(stack.httpUrl(host))
    expect(visit.status).toBeGreaterThanOrEqual(500)
    expect(performance.now() - startedAt).toBeLessThan(5500)
    await expectServed(15_000)
  })

  // Odd sizes: the cuts fall into frame headers, into frames and into TLS records.
  it.each([1, 7, 50_021, 1_234_567])(
    'tells the visitor when it is cut %i bytes into a download, and heals',
    async (bytes) => {
      await expectServed()
      relay.cutAfter(bytes)
      const cut = curlStatus(stack.httpUrl(host, `/bytes/${BODY_BYTES}`))
      await expect(cut).resolves.not.toBe('200 whole')
      await expectServed()
    },
  )

  it('tells the visitor when it is cut in the middle of an upload, and heals', async () => {
    await expectServed()
    relay.cutAfter(300_001)
    const cut = curlStatus(stack.httpUrl(host, '/hash'), '--data-binary', `@${process.execPath}`)
    await expect(cut).resolves.not.toBe('200 whole')
    await expectServed()
    await expect.poll(() => stack.upstream.openRequestCount).toBe(0)
  })
})

it.runIf(isThorough)('works over a link that delivers one byte at a time', async () => {
  await using stack = new AsyncDisposableStack()
  const running = stack.use(
    await Stack.start({
      viaPort: async (port) => stack.use(await startTcpRelay({ port }, { segmentMaxBytes: 1 })).port,
    }),
  )
  const host = await running.publish('trickle')
  const answer = await curl(running.httpUrl(host, '/request'), '-H', `X-Long: ${'y'.repeat(2000)}`)
  expect(JSON.parse(answer.body)).toMatchObject({ headers: { 'x-long': 'y'.repeat(2000) } })
})

/** `200 whole` only when the transfer was complete; otherwise the status, or how curl failed. */
async function curlStatus(url: string, ...args: string[]): Promise<string> {
  const format = ['--write-out', '%{http_code} whole', '--output', '/dev/null', '-sS', '--max-time', '20']
  return runProcess('curl', [...format, ...args, url]).catch((error: Error) => error.message)
}
