import { expect, it } from 'vitest'
import { CollectedOutput } from './collected-output.ts'

const line = `${'x'.repeat(99)}\n`

it('holds everything while it is little', () => {
  const output = new CollectedOutput()
  for (const text of ['port ', '8080\n', 'ready\n']) output.add(text)
  expect(output.text()).toBe('port 8080\nready\n')
})

it('holds the end of what is much, and not more than twice its bound', () => {
  const output = new CollectedOutput()
  for (let printed = 0; printed < 100_000; printed++) output.add(line)
  output.add('last')
  expect(output.text()).toMatch(/x\nlast$/)
  expect(output.text().length).toBeGreaterThanOrEqual(1 << 20)
  expect(output.text().length).toBeLessThanOrEqual((1 << 21) + line.length)
})
