import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { noteRead } from './spent-buffers.ts'

const READ_BYTES = 64 * 1024

it('buffers that nobody holds any more are freed while they are few', async () => {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  for (let read = 0; read < 800; read++) {
    noteRead(Buffer.allocUnsafeSlow(READ_BYTES).length)
    // Freeing is the work of another thread.
    if (read % 80 === 0) await sleep(1)
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  expect(most).toBeLessThan(32 * 1024 * 1024)
})
