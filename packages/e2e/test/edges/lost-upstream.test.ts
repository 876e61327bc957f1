import { once } from 'node:events'
import { createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect, it } from 'vitest'
import { EdgeWorld } from '../../src/edge-world.ts'

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** Takes note of each request and then falls over. */
const kinds = {
  'HTTP/1.1': (seen: string[]) => ({
    scheme: 'http',
    server: createServer((socket) =>
      socket
        .on('error', () => undefined)
        .once('data', (head) => {
          seen.push(String(head).split(' ')[1] ?? '')
          socket.resetAndDestroy()
        }),
    ),
  }),
  'HTTP/2': (seen: string[]) => ({
    scheme: 'h2c',
    server: createHttp2Server().on('stream', (stream, headers) => {
      seen.push(headers[':path'] ?? '')
      stream.on('error', () => undefined)
      const { socket } = stream.session ?? {}
      socket?.destroy()
    }),
  }),
}

it.each(Object.entries(kinds))(
  'a POST that was sent over %s to a program that then falls over is never sent to the next one',
  async (_kind, start) => {
    await using world = await EdgeWorld.start()
    const seen: string[] = []
    const { scheme, server } = start(seen)
    const port = await portOf(server)
    const labels = { app: 'shop' }
    const agents = await Promise.all([world.startAgent(), world.startAgent()])
    for (const agent of agents) await agent.createTunnel({ forwards_to: `${scheme}://127.0.0.1:${port}`, labels })
    const { id: backend_id } = await world.create('/backends/tunnel_group', { labels })
    const { id: edge, host } = await world.createEdge('shop')
    await world.create(`/edges/https/${edge}/routes`, {
      match_type: 'path_prefix',
      match: '/',
      backend: { backend_id },
    })
    expect(await world.visit(host, '/paid', '--request', 'POST')).toMatchObject({ status: 502 })
    expect(await world.visit(host, '/paid-too', '--data', 'body')).toMatchObject({ status: 502 })
    expect(seen).toEqual(['/paid', '/paid-too'])
    expect(await world.visit(host, '/read')).toMatchObject({ status: 502 })
    expect(seen).toEqual(['/paid', '/paid-too', '/read', '/read'])
    server.close()
  },
)
