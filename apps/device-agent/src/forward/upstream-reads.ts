import type { OnReadOpts } from 'node:net'
import { readTargetBytes } from '@tunnel/session-protocol'

/** From here on passing a buffer on costs less than copying what is in it. */
const passedMinBytes = 8 * 1024

/**
 * How a socket to an upstream reads: past its stream, into buffers that fill one message of the session. What was read is handed
 * over with its buffer; little is copied, and the buffer stays for the next read.
 */
export function readsOf(onRead: (chunk: Buffer) => void): OnReadOpts {
  let current: Buffer | undefined
  return {
    buffer: () => (current ??= Buffer.allocUnsafeSlow(readTargetBytes)),
    callback: (bytes, buffer) => {
      const read = Buffer.from(buffer.buffer, buffer.byteOffset, bytes)
      if (bytes >= passedMinBytes) current = undefined
      onRead(bytes >= passedMinBytes ? read : Buffer.from(read))
      return true
    },
  }
}
