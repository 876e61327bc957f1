import { Agent, request } from 'node:http'
import type { LoadTarget } from './wrk.ts'

const tickMs = 10

/** Sends so many GET requests a second, evenly, until disposed. Throws inside the process when one fails. */
export function runSteadyLoad({ port, host }: LoadTarget, requestsPerSecond: number): AsyncDisposable {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const startedAt = performance.now()
  let sent = 0
  let isStopped = false
  const onError = (error: Error) => {
    if (!isStopped) throw error
  }
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * requestsPerSecond
    for (; sent < due; sent++)
      request({ agent, port, host: '127.0.0.1', headers: { host } }, (response) => response.resume())
        .on('error', onError)
        .end()
  }, tickMs)
  return {
    [Symbol.asyncDispose]: () => {
      isStopped = true
      clearInterval(timer)
      agent.destroy()
      return Promise.resolve()
    },
  }
}
