import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** An upstream that keeps what it receives byte for byte, and answers each complete head with a given text. */
export interface RawUpstream extends AsyncDisposable {
  readonly port: number
  /** All bytes received so far, over all connections, as latin1 text. */
  received(): string
  /** Resolves with what was received once it matches. */
  until(isEnough: (received: string) => boolean): Promise<string>
  readonly sockets: readonly Socket[]
}

const defaultAnswer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** `answer` gets what its connection has received and may return nothing yet. */
export async function startRawUpstream(
  answer: (received: string, socket: Socket) => string | undefined = answerEveryHead,
): Promise<RawUpstream> {
  const texts: string[] = []
  const sockets: Socket[] = []
  const received = () => texts.join('')
  const watchers = new Set<() => void>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const index = texts.push('') - 1
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.end())
    socket.on('data', (chunk) => {
      texts[index] += chunk.toString('latin1')
      for (const watcher of watchers) watcher()
      const reply = answer(chunk.toString('latin1'), socket)
      if (reply !== undefined) socket.write(reply, 'latin1')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    received,
    async until(isEnough) {
      while (!isEnough(received())) {
        const { promise, resolve } = Promise.withResolvers<void>()
        watchers.add(resolve)
        await promise
        watchers.delete(resolve)
      }
      return received()
    },
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function answerEveryHead(received: string): string | undefined {
  return /\r\n\r\n|^0\r\n/.test(received) ? defaultAnswer : undefined
}
