import { connect } from 'node:net'
import type { LoadTarget } from './wrk.ts'

const READ_BUFFER_BYTES = 1 << 20

export interface Download {
  readonly bytes: number
  readonly seconds: number
}

/** Downloads `path` over a connection of its own and throws the bytes away; `bytes` and `seconds` begin with the request. */
export async function download(target: LoadTarget, path: string, limitMs = 120_000): Promise<Download> {
  const { promise, resolve, reject } = Promise.withResolvers<Download>()
  const startedAt = performance.now()
  const counter = new BodyCounter()
  const socket = connect({
    port: target.port,
    host: '127.0.0.1',
    onread: {
      buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
      callback: (length, buffer) => {
        counter.add(Buffer.from(buffer.buffer, buffer.byteOffset, length))
        if (counter.isComplete) finish()
        return true
      },
    },
  })
  const finish = (): void => {
    resolve({ bytes: counter.bytes, seconds: (performance.now() - startedAt) / 1000 })
    socket.destroy()
  }
  socket.setTimeout(limitMs, () => socket.destroy(new Error(`no bytes for ${limitMs} ms`)))
  socket.on('error', reject)
  socket.on('close', () => reject(new Error(`the download ended after ${counter.bytes} bytes`)))
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${target.host}\r\n\r\n`)
  return promise
}

/** Counts the body of one answer that announces its length. */
class BodyCounter {
  bytes = 0
  #head = ''
  #length: number | undefined

  get isComplete(): boolean {
    return this.#length !== undefined && this.bytes >= this.#length
  }

  add(chunk: Buffer): void {
    if (this.#length === undefined) this.#readHead(chunk)
    else this.bytes += chunk.length
  }

  #readHead(chunk: Buffer): void {
    this.#head += chunk.toString('latin1')
    const end = this.#head.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#head.slice(0, end)
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(`the answer was ${head}`)
    this.#length = Number(/^content-length: (\d+)$/im.exec(head)?.[1])
    this.bytes = this.#head.length - end - 4
  }
}
