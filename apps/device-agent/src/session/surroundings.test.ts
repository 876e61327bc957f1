import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchSurroundings } from './surroundings.ts'

const interfaces = vi.hoisted(() => ({ addresses: ['127.0.0.1'] }))

vi.mock('node:os', () => ({
  networkInterfaces: () => ({ eth0: interfaces.addresses.map((address) => ({ address })) }),
}))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

function watch(): { networks: string[][]; stepsMs: number[]; stop: Disposable } {
  const networks: string[][] = []
  const stepsMs: number[] = []
  const stop = watchSurroundings({
    onNetworkChange: (addresses) => networks.push([...addresses]),
    onClockStep: (stepMs) => stepsMs.push(stepMs),
  })
  return { networks, stepsMs, stop }
}

it('tells of other addresses within two seconds, once', () => {
  const { networks, stop } = watch()
  interfaces.addresses = ['127.0.0.1', '192.168.1.7']
  vi.advanceTimersByTime(10_000)
  expect(networks).toEqual([['127.0.0.1', '192.168.1.7']])
  stop[Symbol.dispose]()
})

it('tells of a clock that was set, once, and not of time that passes', () => {
  const { stepsMs, stop } = watch()
  vi.advanceTimersByTime(60_000)
  expect(stepsMs).toEqual([])
  vi.setSystemTime(Date.now() + 1_000_000)
  vi.advanceTimersByTime(10_000)
  expect(stepsMs).toHaveLength(1)
  expect(stepsMs[0]).toBeCloseTo(1_000_000, -2)
  stop[Symbol.dispose]()
})
