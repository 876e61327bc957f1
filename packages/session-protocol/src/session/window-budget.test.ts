import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { defaultLimits, wire } from '../limits.ts'
import { ReceiveWindow } from '../stream/receive-window.ts'
import { RoundTrip } from './round-trip.ts'
import { WindowBudget } from './window-budget.ts'

const pathMs = 100
/** What the work at both ends adds to the path. */
const delayMs = 8

it('lets a window grow to its cap on a long path, however the sender cuts its frames', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2_000, max: wire.initialCreditBytes }), (frameBytes) => {
      let nowMs = 0
      const policy = new WindowBudget(
        defaultLimits,
        measured(
          () => nowMs,
          (ms) => (nowMs += ms),
        ),
      )
      const window = new ReceiveWindow(policy)
      let credit = wire.initialCreditBytes + window.openToStart()
      for (let turn = 0; turn < 40; turn++) {
        nowMs += pathMs + delayMs
        credit = readAll(window, credit, frameBytes)
      }
      expect(window.sizeBytes).toBe(defaultLimits.streamWindowMaxBytes)
      expect(credit).toBeGreaterThan(0.7 * window.sizeBytes)
    }),
    { examples: [[65_509]], numRuns: 30 },
  )
})

function measured(now: () => number, pass: (ms: number) => void): RoundTrip {
  let sent: Buffer = Buffer.alloc(0)
  const roundTrip = new RoundTrip(now, (payload) => (sent = payload))
  roundTrip.ping()
  pass(pathMs)
  roundTrip.onPong(sent)
  return roundTrip
}

/** All that the sender may send arrives and is read, a frame at a time. Returns what it may send then. */
function readAll(window: ReceiveWindow, credit: number, frameBytes: number): number {
  let given = 0
  for (let left = credit; left > 0; left -= frameBytes) {
    const bytes = Math.min(left, frameBytes)
    window.arrived(bytes)
    given += window.read(bytes)
  }
  return given
}
