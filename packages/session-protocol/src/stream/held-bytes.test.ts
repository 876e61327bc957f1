import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { HeldBytes } from './held-bytes.ts'

it('gives back the same bytes in the same order, however they come and go', () => {
  const step = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 40_000 }).map((bytes) => Buffer.from(bytes)),
    fc.constant('shift' as const),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, areViews) => {
      const held = new HeldBytes()
      const pushed: Buffer[] = []
      const shifted: Buffer[] = []
      for (const next of steps) {
        if (next === 'shift') shifted.push(held.shift() ?? Buffer.alloc(0))
        else {
          const original = Buffer.from(next)
          pushed.push(original)
          held.push(areViews ? viewOf(next) : next)
        }
      }
      for (let chunk = held.shift(); chunk; chunk = held.shift()) shifted.push(chunk)
      expect(Buffer.concat(shifted).equals(Buffer.concat(pushed))).toBe(true)
      expect(held.isEmpty).toBe(true)
    }),
    { numRuns: 60 },
  )
})

it('does not keep large buffers alive for the sake of small views on them', () => {
  const held = new HeldBytes()
  for (let n = 0; n < 4096; n++) held.push(viewOf(Buffer.from([n & 255])))
  const kept = new Set<ArrayBufferLike>()
  for (let chunk = held.shift(); chunk; chunk = held.shift()) kept.add(chunk.buffer)
  const keptBytes = [...kept].reduce((sum, { byteLength }) => sum + byteLength, 0)
  expect(keptBytes).toBeLessThanOrEqual(16 * 1024)
})

/** A view on a much larger buffer, which is reused afterwards by nobody. */
function viewOf(bytes: Buffer): Buffer {
  const large = Buffer.alloc(3 * bytes.length + 64 * 1024)
  bytes.copy(large, 100)
  return large.subarray(100, 100 + bytes.length)
}
