import { promises } from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'

export interface ResolvingProxy extends AsyncDisposable {
  readonly url: string
}

/** An HTTP proxy (CONNECT) that finds names through a recursor: how a program gets at names that the machine cannot resolve. */
export async function startResolvingProxy(recursorPort: number): Promise<ResolvingProxy> {
  const resolver = new promises.Resolver({ timeout: 1_000, tries: 2 })
  resolver.setServers([`127.0.0.1:${recursorPort}`])
  const sockets = new Set<Socket>()
  const server = createServer().on('connect', (request, client: Socket) => {
    const [name = '', port] = request.url?.split(':') ?? []
    const open = async () => {
      const [address = ''] = await resolver.resolve4(name)
      const upstream = connect(Number(port), address)
      for (const socket of [upstream, client]) sockets.add(socket.on('error', () => socket.destroy()))
      await once(upstream, 'connect')
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      client.pipe(upstream).pipe(client)
    }
    open().catch(() => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
