import { expect, it } from 'vitest'
import { LedPart } from './led-part.ts'

it('starts and stops in turn, however fast the lead changes, and never runs twice', async () => {
  const steps: string[] = []
  const part = new LedPart((error) => expect.fail(String(error)))
  const start = async () => {
    steps.push('starting')
    await Promise.resolve()
    steps.push('started')
    return { [Symbol.asyncDispose]: () => Promise.resolve(void steps.push('stopped')) }
  }
  await part.setStart(start, false)
  await Promise.all([part.start(), part.start(), part.stop(), part.start(), part.stop(), part.stop()])
  expect(steps).toEqual(['starting', 'started', 'stopped', 'starting', 'started', 'stopped'])
})
