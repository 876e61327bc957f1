import { get } from 'node:http'
import type { LoadTarget } from './wrk.ts'

export interface DripRequest {
  readonly type: string
  readonly count: number
  readonly intervalMs: number
}

/**
 * Reads a drip of time stamps and returns, for each, the milliseconds between its writing at the origin and its arrival.
 * Both ends read the same monotonic clock, as they run on one machine.
 */
export async function dripDelays(target: LoadTarget, { type, count, intervalMs }: DripRequest): Promise<number[]> {
  const query = new URLSearchParams({ type, count: String(count), interval_ms: String(intervalMs) })
  const { promise, resolve, reject } = Promise.withResolvers<number[]>()
  const options = {
    port: target.port,
    path: `/drip?${query}`,
    headers: { host: target.host },
    agent: false,
    timeout: 10_000,
  }
  const request = get(options, (response) => {
    const delays: number[] = []
    response.setEncoding('latin1')
    response.on('data', (text: string) => delays.push(...delaysOf(text)))
    response.on('end', () =>
      delays.length === count ? resolve(delays) : reject(new Error(`${delays.length} of ${count} came`)),
    )
    response.on('error', reject)
  })
  request.on('timeout', () => request.destroy(new Error('the drip stood still for 10 s')))
  request.on('error', reject)
  return promise
}

/** A stamp is far smaller than a segment of loopback, so it never arrives in two pieces. */
function delaysOf(text: string): number[] {
  const now = process.hrtime.bigint()
  const stamps = text.split('\n').filter((line) => line !== '')
  return stamps.map((stamp) => Number(now - BigInt(stamp)) / 1e6)
}
