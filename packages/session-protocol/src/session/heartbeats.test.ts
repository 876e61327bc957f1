import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Heartbeat, Heartbeats } from './heartbeats.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

class TestSession implements Heartbeat {
  heardAtMs = 0
  askAfterMs = 2000
  deadAfterMs = 5000
  asked = 0
  diedAtMs: number | null = null
  readonly heartbeats: Heartbeats

  constructor(heartbeats: Heartbeats) {
    this.heartbeats = heartbeats
    heartbeats.add(this)
  }

  hear(): void {
    this.heardAtMs = this.heartbeats.watchedMs
  }

  ask(): void {
    this.asked += 1
  }

  onDead(): void {
    this.diedAtMs = performance.now()
    this.heartbeats.remove(this)
  }
}

it('asks after the interval and declares a silent peer dead within the interval and the tolerance', () => {
  const session = new TestSession(new Heartbeats())
  const startMs = performance.now()
  vi.advanceTimersByTime(1900)
  expect(session.asked).toBe(0)
  vi.advanceTimersByTime(400)
  expect(session.asked).toBe(1)
  vi.advanceTimersByTime(2800)
  expect(session.diedAtMs).not.toBeNull()
  expect(session.diedAtMs! - startMs).toBeLessThanOrEqual(5000)
  expect(session.diedAtMs! - startMs).toBeGreaterThan(4500)
})

it('counts any byte as life, and never asks a peer that speaks', () => {
  const session = new TestSession(new Heartbeats())
  for (let n = 0; n < 20; n++) {
    session.hear()
    vi.advanceTimersByTime(1500)
  }
  expect(session).toMatchObject({ asked: 0, diedAtMs: null })
  vi.advanceTimersByTime(5500)
  expect(session.diedAtMs).not.toBeNull()
})

it('does not take time in which this process stood still for silence of the peer', () => {
  let nowMs = 0
  const session = new TestSession(new Heartbeats(() => nowMs))
  nowMs += 60_000
  vi.advanceTimersByTime(250)
  expect(session.diedAtMs).toBeNull()
  for (let n = 0; n < 22; n++) {
    nowMs += 250
    vi.advanceTimersByTime(250)
  }
  expect(session.diedAtMs).not.toBeNull()
})

it('keeps no timer without sessions', () => {
  const heartbeats = new Heartbeats()
  const session = new TestSession(heartbeats)
  expect(vi.getTimerCount()).toBe(1)
  heartbeats.remove(session)
  expect(vi.getTimerCount()).toBe(0)
})

it('holds a session to its new terms at once', () => {
  const heartbeats = new Heartbeats()
  const session = new TestSession(heartbeats)
  vi.advanceTimersByTime(500)
  session.hear()
  Object.assign(session, { askAfterMs: 500, deadAfterMs: 1000 })
  heartbeats.add(session)
  vi.advanceTimersByTime(1000)
  expect(session.diedAtMs).not.toBeNull()
})
