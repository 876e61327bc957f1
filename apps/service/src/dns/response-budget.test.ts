import { expect, it } from 'vitest'
import { networkOf, ResponseBudget } from './response-budget.ts'

it('gives a network its rate, then hints to TCP or silence, and refills with time', () => {
  const clock = { ms: 1_000_000 }
  const budget = new ResponseBudget({ perSecond: 10, nowMs: () => clock.ms })
  const take = (count: number, address: string) => Array.from({ length: count }, () => budget.take(address))
  expect(take(10, '192.0.2.1')).toEqual(Array(10).fill('udp'))
  expect(take(4, '192.0.2.200')).toEqual(['drop', 'tcp-hint', 'drop', 'tcp-hint'])
  expect(take(1, '198.51.100.1')).toEqual(['udp'])
  clock.ms += 500
  expect(take(6, '192.0.2.7')).toEqual([...Array(5).fill('udp'), 'drop'])
})

it('does not turn a clock that goes back into a refusal', () => {
  const clock = { ms: 1_000_000 }
  const budget = new ResponseBudget({ perSecond: 10, nowMs: () => clock.ms })
  budget.take('192.0.2.1')
  clock.ms -= 3_600_000
  expect(budget.take('192.0.2.1')).toBe('udp')
})

it.each([
  ['192.0.2.77', '192.0.2'],
  ['::ffff:192.0.2.77', '192.0.2'],
  ['2001:db8:1:12ff::9', '2001:db8:1:18'],
  ['2001:db8:1:1200:1:2:3:4', '2001:db8:1:18'],
  ['fe80::1', 'fe80:0:0:0'],
])('counts %s to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
