import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DueTimes } from './due-times.ts'

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => vi.useRealTimers())

function dueTimes(nowMs: () => number = Date.now) {
  const called: string[] = []
  return { called, times: new DueTimes({ nowMs, onDue: (key) => called.push(key) }) }
}

it('calls each key when its time has come, in any order of noting, once', () => {
  const { called, times } = dueTimes()
  times.set('late', Date.now() + 500_000)
  times.set('soon', Date.now() + 1_000)
  times.set('past', Date.now() - 5)
  times.set('moved', Date.now() + 10)
  times.set('moved', Date.now() + 2_000)
  times.set('forgotten', Date.now() + 20)
  times.set('forgotten', null)
  vi.advanceTimersByTime(1_000)
  expect(called).toEqual(['past', 'soon'])
  vi.advanceTimersByTime(600_000)
  expect(called).toEqual(['past', 'soon', 'moved', 'late'])
  expect(times.size).toBe(0)
})

it('waits longer than a timer can', () => {
  const { called, times } = dueTimes()
  const sixtyDaysMs = 60 * 86_400_000
  times.set('a', Date.now() + sixtyDaysMs)
  vi.advanceTimersByTime(sixtyDaysMs - 1_000)
  expect(called).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(called).toEqual(['a'])
})

it('notices within a minute that the clock was set forward', () => {
  const offset = { ms: 0 }
  const { called, times } = dueTimes(() => Date.now() + offset.ms)
  times.set('a', Date.now() + 3_600_000)
  offset.ms = 3_600_000
  vi.advanceTimersByTime(60_000)
  expect(called).toEqual(['a'])
})

it('leaves no timer behind when disposed, nor when everything is forgotten', () => {
  const { called, times } = dueTimes()
  times.set('a', Date.now() + 1_000)
  times[Symbol.dispose]()
  times.set('b', Date.now())
  expect(vi.getTimerCount()).toBe(0)
  expect(called).toEqual([])
})
