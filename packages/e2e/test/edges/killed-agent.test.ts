import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { EdgeWorld } from '../../src/edge-world.ts'

const perSecond = 500
const seconds = process.env['TEST_LONG'] === undefined ? 5 : 30

/** Takes a while for every answer, so that requests are under way at any moment, and counts how often each id came. */
async function startRecorder() {
  const seen = new Map<string, number>()
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    const id = `${incoming.method} ${incoming.url}`
    seen.set(id, (seen.get(id) ?? 0) + 1)
    incoming.resume()
    setTimeout(() => response.end('done'), 20)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

it(`kill -9 of one of two agents at ${perSecond} requests/s: GETs succeed, and no POST reaches an upstream twice`, async () => {
  await using world = await EdgeWorld.start()
  using recorder = await startRecorder()
  const labels = { app: 'shop' }
  const agents = await Promise.all([world.startAgent(), world.startAgent()])
  for (const agent of agents) await agent.createTunnel({ forwards_to: `127.0.0.1:${recorder.port}`, labels })
  const { id: backend_id } = await world.create('/backends/tunnel_group', { labels })
  const { id: edge, host } = await world.createEdge('shop')
  await world.create(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/', backend: { backend_id } })

  const visitors = new Agent({ keepAlive: true, maxSockets: 64 })
  const send = (method: string, index: number): Promise<number> =>
    new Promise((resolve) => {
      const place = { host: '127.0.0.1', port: world.service.ports.edgeHttp, path: `/${index}`, headers: { host } }
      const outgoing = request({ ...place, method, agent: visitors }, (response) => {
        response.on('error', () => resolve(0))
        response.on('end', () => resolve(response.statusCode ?? 0)).resume()
      })
      outgoing.on('error', () => resolve(0))
      outgoing.end(method === 'POST' ? 'body' : undefined)
    })
  const results: { readonly method: string; readonly status: Promise<number> }[] = []
  const startedAt = performance.now()
  for (let sent = 0; sent < perSecond * seconds; await sleep(2)) {
    const due = Math.min(perSecond * seconds, ((performance.now() - startedAt) / 1000) * perSecond)
    for (; sent < due; sent++) {
      const method = sent % 5 === 0 ? 'POST' : 'GET'
      results.push({ method, status: send(method, sent) })
      if (sent === (perSecond * seconds) / 2) process.kill(agents[0].process.pid, 'SIGKILL')
    }
  }
  const gets = await Promise.all(results.filter(({ method }) => method === 'GET').map(({ status }) => status))
  const posts = await Promise.all(results.filter(({ method }) => method === 'POST').map(({ status }) => status))
  visitors.destroy()

  const failed = gets.filter((status) => status !== 200)
  expect(failed.length / gets.length).toBeLessThanOrEqual(0.001)
  const repeated = [...recorder.seen].filter(([id, count]) => id.startsWith('POST') && count > 1)
  expect(repeated).toEqual([])
  expect(posts.filter((status) => status === 200).length).toBeGreaterThan(posts.length * 0.9)
})
