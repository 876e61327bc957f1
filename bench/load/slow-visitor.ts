import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadTarget } from './wrk.ts'

const READ_BYTES = 64 * 1024

/** A visitor that asks for `path` and then takes at most 64 KiB every `pauseMs` for `seconds`. Resolves with the bytes it took. */
export async function visitSlowly(
  target: LoadTarget,
  path: string,
  { seconds, pauseMs }: { readonly seconds: number; readonly pauseMs: number },
): Promise<number> {
  const takeSlowly = (): boolean => {
    setTimeout(() => socket.resume(), pauseMs)
    return false
  }
  const onread = { buffer: Buffer.allocUnsafe(READ_BYTES), callback: takeSlowly }
  const socket: Socket = connect({ port: target.port, host: '127.0.0.1', onread })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${target.host}\r\n\r\n`)
  await sleep(seconds * 1000)
  socket.destroy()
  return socket.bytesRead
}
