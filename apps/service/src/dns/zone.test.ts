import { expect, it } from 'vitest'
import { toWireName } from './wire-name.ts'
import { Zone } from './zone.ts'

function zone(now = { seconds: 100 }): Zone {
  return new Zone({ apex: 'svc.test', nameservers: ['ns1.svc.test'], nowSeconds: () => now.seconds })
}

it('lets a name and its empty ancestors cease with its last record', () => {
  const subject = zone()
  subject.put('a.b.svc.test', 1, { type: 'TXT', values: ['x'] })
  expect(subject.recordsAt(toWireName('b.svc.test'))?.size).toBe(0)
  subject.remove('a.b.svc.test', 'TXT')
  expect(subject.recordsAt(toWireName('a.b.svc.test'))).toBeUndefined()
  expect(subject.recordsAt(toWireName('b.svc.test'))).toBeUndefined()
  expect(subject.recordsAt(toWireName('svc.test'))).toBeDefined()
})

it('keeps a name that must exist without records', () => {
  const subject = zone()
  subject.keepName('kept.svc.test')
  subject.put('a.kept.svc.test', 1, { type: 'TXT', values: ['x'] })
  subject.remove('a.kept.svc.test', 'TXT')
  expect(subject.recordsAt(toWireName('kept.svc.test'))?.size).toBe(0)
})

it('raises its serial with each change, also when the clock stands still or goes back', () => {
  const now = { seconds: 1_000 }
  const subject = zone(now)
  const serials = [5_000, 5_000, 10].map((seconds, index) => {
    now.seconds = seconds
    subject.put('a.svc.test', 1, { type: 'TXT', values: [String(index)] })
    return subject.serial
  })
  expect(serials).toEqual([5_000, 5_001, 5_002])
})

it('takes no name of another zone', () => {
  expect(() => zone().put('a.other.test', 1, { type: 'TXT', values: ['x'] })).toThrow(RangeError)
})

it('splits a long text into strings of 255 octets', () => {
  const subject = zone()
  subject.put('t.svc.test', 1, { type: 'TXT', values: ['x'.repeat(700)] })
  const [data] = subject.recordsAt(toWireName('t.svc.test'))?.get(16)?.data ?? []
  expect([data?.[0], data?.[256], data?.[512], data?.length]).toEqual([255, 255, 190, 703])
})
