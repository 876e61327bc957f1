import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { wire } from '../limits.ts'
import { ReceiveWindow, type WindowPolicy } from './receive-window.ts'

const startBytes = 256 * 1024
const maxBytes = 1024 * 1024

class TestPolicy implements WindowPolicy {
  readonly startBytes = startBytes
  readonly maxBytes = maxBytes
  freeBytes: number
  timeMs = 0

  constructor(freeBytes: number) {
    this.freeBytes = freeBytes
  }

  enlarge(fromBytes: number, toBytes: number): boolean {
    if (toBytes - fromBytes > this.freeBytes) return false
    this.freeBytes -= toBytes - fromBytes
    return true
  }

  release(bytes: number): void {
    this.freeBytes += bytes
  }

  nowMs(): number {
    return this.timeMs
  }

  growthHorizonMs(): number {
    return 20
  }
}

/** Passes `rounds` windows of bytes, each as a whole and in `msPerRound`, starting with `credit`. Returns the credit left. */
function readRounds(
  window: ReceiveWindow,
  policy: TestPolicy,
  rounds: number,
  msPerRound: number,
  credit: number,
): number {
  let open = credit
  for (let round = 0; round < rounds; round++) {
    policy.timeMs += msPerRound
    window.arrived(open)
    open = window.read(open)
  }
  return open
}

it('grows to its cap while whole windows are read within the horizon', () => {
  const policy = new TestPolicy(maxBytes)
  const window = new ReceiveWindow(policy)
  expect(window.openToStart()).toBe(startBytes - wire.initialCreditBytes)
  expect(readRounds(window, policy, 10, 10, startBytes)).toBe(maxBytes)
  expect(window.sizeBytes).toBe(maxBytes)
})

it('stays as it is for a slow reader', () => {
  const policy = new TestPolicy(maxBytes)
  const window = new ReceiveWindow(policy)
  window.openToStart()
  readRounds(window, policy, 10, 30, startBytes)
  expect(window.sizeBytes).toBe(startBytes)
})

it('stays at the initial credit when the session has no memory to spare, and gives back what it took', () => {
  const poor = new TestPolicy(1000)
  const window = new ReceiveWindow(poor)
  expect(window.openToStart()).toBe(0)
  readRounds(window, poor, 10, 1, wire.initialCreditBytes)
  expect(window.sizeBytes).toBe(wire.initialCreditBytes)
  const rich = new TestPolicy(maxBytes)
  const large = new ReceiveWindow(rich)
  readRounds(large, rich, 10, 1, wire.initialCreditBytes)
  expect(rich.freeBytes).toBe(wire.initialCreditBytes)
  large.release()
  expect(rich.freeBytes).toBe(maxBytes)
})

it('never lets more than its size be unread, whatever the reader does, and never runs dry', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(200_000), fc.nat(200_000), fc.nat(30)), { maxLength: 200 }), (steps) => {
      const policy = new TestPolicy(maxBytes)
      const window = new ReceiveWindow(policy)
      let credit: number = wire.initialCreditBytes
      let unread = 0
      for (const [wanted, taken, ms] of steps) {
        policy.timeMs += ms
        const sent = Math.min(wanted, credit)
        window.arrived(sent)
        credit -= sent
        unread += sent
        const read = Math.min(taken, unread)
        unread -= read
        if (read > 0) credit += window.read(read)
        expect(unread + credit).toBeLessThanOrEqual(window.sizeBytes)
      }
      if (unread > 0) credit += window.read(unread)
      expect(credit).toBeGreaterThan(0)
      expect(() => window.arrived(credit + 1)).toThrow('credit')
    }),
  )
})
