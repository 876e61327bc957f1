import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export interface ConnectProxy extends AsyncDisposable {
  readonly url: string
  /** What it was asked to connect to, with the right credentials. */
  readonly targets: string[]
}

/** A CONNECT proxy that wants credentials and leads every name to one port of this machine. */
export async function startConnectProxy(port: number, credentials: string): Promise<ConnectProxy> {
  const targets: string[] = []
  const sockets: Socket[] = []
  const server = createServer()
  server.on('connect', (request, socket: Socket) => {
    sockets.push(socket)
    if (request.headers['proxy-authorization'] !== `Basic ${Buffer.from(credentials).toString('base64')}`) {
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
    }
    targets.push(request.url ?? '')
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    sockets.push(onward)
    for (const end of [socket, onward]) end.on('error', () => undefined)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://${credentials}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
