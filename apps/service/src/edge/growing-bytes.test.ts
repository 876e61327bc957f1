import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { GrowingBytes } from './growing-bytes.ts'

it('holds what came, in order, and leaves the pieces as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 60 }), (pieces) => {
      const buffers = pieces.map((piece) => Buffer.from(piece))
      const bytes = new GrowingBytes()
      for (const buffer of buffers) bytes.add(buffer)
      expect(bytes.bytes).toEqual(Buffer.concat(pieces))
      expect(bytes.length).toBe(bytes.bytes.length)
      expect(buffers).toEqual(pieces.map((piece) => Buffer.from(piece)))
    }),
  )
})
