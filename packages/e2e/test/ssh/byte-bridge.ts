import { once } from 'node:events'
import { type IncomingMessage, createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface ByteBridge extends AsyncDisposable {
  readonly port: number
}

/** A program on the device that answers `Upgrade: tcp` and passes the bytes on to a port: what an HTTP tunnel needs to carry SSH. */
export async function startByteBridge(targetPort: number): Promise<ByteBridge> {
  const connections = new Set<Duplex>()
  const server = createServer((_, response) => response.writeHead(426).end())
  server.on('upgrade', (_: IncomingMessage, visitor: Duplex, head: Buffer) => {
    const target = connect(targetPort, '127.0.0.1')
    connections.add(visitor).add(target)
    visitor.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n')
    target.write(head)
    // Either side may end the connection at any time: SSH itself notices.
    for (const [from, to] of [
      [visitor, target],
      [target, visitor],
    ] as const)
      pipeline(from, to).catch(() => to.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const connection of connections) connection.destroy()
      await once(server.close(), 'close')
    },
  }
}
