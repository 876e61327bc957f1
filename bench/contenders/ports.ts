import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningProcess } from '@tunnel/testkit'

/** A port that is free now, for programs that cannot choose one by themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Resolves when the port accepts connections; rejects with the program's output when it ends or takes too long. */
export async function untilListening(port: number, program: RunningProcess, limitMs = 10_000): Promise<void> {
  const deadline = Date.now() + limitMs
  let hasEnded = false
  void program.exited.then(() => (hasEnded = true))
  while (!(await accepts(port))) {
    if (hasEnded || Date.now() > deadline) throw new Error(`nothing listens on port ${port}:\n${program.output()}`)
    await sleep(20)
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
