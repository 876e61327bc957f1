import { expect, it } from 'vitest'
import { outdated } from './agent-versions.ts'

it.each([
  [[], '', 0],
  [['1.2.0', '1.2.0'], '1.2.0', 0],
  [['1.9.0', '1.10.0', '1.2.3'], '1.10.0', 2],
])('of %j the newest is "%s", and %s are older', (versions, newest, count) => {
  expect(outdated(versions)).toEqual({ newest, count })
})
