import { createHash } from 'node:crypto'
import type { MuxStream, StreamEnding, StreamSink } from '../src/index.ts'

export const header = { bindId: 'bind', kind: 'raw', visitorAddress: '127.0.0.1:1' } as const

/** Counts and hashes what a stream delivers, and tells when it is over. */
export class CountingSink implements StreamSink {
  bytes = 0
  chunks = 0
  isEnded = false
  drains = 0
  readonly closed: Promise<StreamEnding>
  readonly #hash = createHash('sha256')
  #resolve: (ending: StreamEnding) => void = () => {}
  onChunk: (chunk: Buffer) => void = () => {}
  onEnded: () => void = () => {}

  constructor() {
    this.closed = new Promise((resolve) => (this.#resolve = resolve))
  }

  onData(chunk: Buffer): void {
    this.bytes += chunk.length
    this.chunks += 1
    this.#hash.update(chunk)
    this.onChunk(chunk)
  }

  onEnd(): void {
    this.isEnded = true
    this.onEnded()
  }

  onDrain(): void {
    this.drains += 1
  }

  onClose(ending: StreamEnding): void {
    this.#resolve(ending)
  }

  digest(): string {
    return this.#hash.digest('hex')
  }
}

export function attachCounting(stream: MuxStream): CountingSink {
  const sink = new CountingSink()
  stream.attach(sink)
  return sink
}

/** Writes as fast as the stream takes it; `chunks` may be endless. Stops when the stream is over. */
export function pump(stream: MuxStream, chunks: Iterator<Buffer>): CountingSink {
  const sink = new CountingSink()
  const fill = (): void => {
    for (let next = chunks.next(); ; next = chunks.next()) {
      if (next.done) return stream.end()
      if (!stream.write(next.value)) return
    }
  }
  sink.onDrain = fill
  stream.attach(sink)
  fill()
  return sink
}

/** Sends back what arrives, as fast as it can be sent, and ends when the peer ends. */
export function echo(stream: MuxStream): void {
  stream.attach({
    onData(chunk) {
      if (!stream.write(Buffer.from(chunk))) stream.pause()
    },
    onEnd: () => stream.end(),
    onDrain: () => stream.resume(),
    onClose: () => {},
  })
}

export function* repeat(chunk: Buffer, times: number): Generator<Buffer> {
  for (let n = 0; n < times; n++) yield chunk
}
