import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const pollMs = 20

/** A TCP port that was free a moment ago, for programs that cannot report the port they got. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const closed = once(server, 'close')
  server.close()
  await closed
  if (address === null || typeof address === 'string') throw new Error('not a TCP address')
  return address.port
}

/** Returns when something accepts connections at a port of this machine; for programs that say so too early or not at all. */
export async function untilListening(port: number, limitMs = 10_000): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch (error) {
      if (waitedMs >= limitMs) throw error
      await delay(pollMs)
    } finally {
      socket.destroy()
    }
  }
}
