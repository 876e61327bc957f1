import { randomInt } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromSource, type RunningProcess, startProcess } from '@tunnel/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../../src/eventually.ts'
import { Stack } from '../../src/stack.ts'
import { isThorough } from '../../src/thorough.ts'

const rounds = process.env['TEST_LONG'] ? 60 : 3
const answerWithinMs = 5000
const victims = ['agent', 'service', 'upstream'] as const
/** What a visitor may see while something is gone: a page with a code, or no connection to the service at all. */
const clearAnswers = /^(200|50[234] ERR_SERVICE_\d+|404 ERR_SERVICE_3200|ECONNRESET|ECONNREFUSED)$/

let stack: Stack
let upstream: RunningProcess
let upstreamPort: string
let hosts: string[]

beforeAll(async () => {
  if (!isThorough) return
  stack = await Stack.start()
  upstream = await startUpstream('0')
  ;[, upstreamPort = ''] = await upstream.waitForOutput(/^port (\d+)$/m)
  hosts = await Promise.all(['one', 'two', 'three'].map((label) => stack.publish(label, Number(upstreamPort))))
})
afterAll(async () => {
  await upstream?.stop()
  await stack?.[Symbol.asyncDispose]()
})

it.runIf(isThorough)(
  `whatever is killed, ${rounds} times: visitors have a clear answer within 5 s, and everything heals`,
  { timeout: rounds * 20_000 },
  async () => {
    const seen = new Set<string>()
    const end = new AbortController()
    const visitors = hosts.map(async (host) => {
      while (!end.signal.aborted) seen.add(await visit(host))
    })
    for (let round = 0; round < rounds; round += 1) {
      await sleep(randomInt(300))
      const waiting = visit(hosts[0] ?? '', '/never')
      await sleep(randomInt(100))
      const restart = kill(victims[round % victims.length] ?? 'agent')
      seen.add(await waiting)
      await sleep(randomInt(500))
      await restart()
      await eventually(
        async () => expect(await Promise.all(hosts.map((host) => visit(host)))).toEqual(['200', '200', '200']),
        35_000,
      )
    }
    end.abort()
    await Promise.all(visitors)
    expect([...seen].filter((answer) => !clearAnswers.test(answer))).toEqual([])
  },
)

/** Kills it at once; the function brings it back. */
function kill(victim: (typeof victims)[number]): () => Promise<void> {
  const running = { agent: stack.agent.process, service: stack.service.process, upstream }[victim]
  running.signal('SIGKILL')
  if (victim === 'agent') return () => stack.restartAgent()
  if (victim === 'service') return () => stack.restartService()
  return async () => void (upstream = await startUpstream(upstreamPort))
}

function startUpstream(port: string): Promise<RunningProcess> {
  const { command, args } = fromSource('packages/e2e/src/upstream-process.ts')
  return startProcess(command, [...args, port])
}

/** What a visitor gets: `200`, status and code of a failure page, or how the connection failed. */
async function visit(host: string, path = '/'): Promise<string> {
  const within = AbortSignal.timeout(answerWithinMs + 500)
  const headers = { host, accept: 'application/json', connection: 'close' }
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const visitor = request({ port: stack.service.ports.edgeHttp, path, headers, signal: within }, resolve)
      visitor.on('error', reject).end()
    })
    const [code = ''] = /ERR_SERVICE_\d+/.exec(await text(response)) ?? []
    return `${response.statusCode} ${code}`.trim()
  } catch (error) {
    return within.aborted ? 'no answer' : ((error as NodeJS.ErrnoException).code ?? String(error))
  }
}
