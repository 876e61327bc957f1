import { RawVisitor } from './raw-visitor.ts'

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
}
export const endStream = 1
export const endHeaders = 4

/** A frame as it came. */
export interface ReceivedFrame {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  readonly payload: Buffer
}

/** One frame of HTTP/2 (RFC 9113 4.1). */
export function frame(type: number, flags: number, streamId: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(streamId, 5)
  return Buffer.concat([head, payload])
}

/** Headers as literals (RFC 7541 6.2.2): any bytes, also those that no client library would send. */
export function headerBlock(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(headers.map(([name, value]) => Buffer.concat([Buffer.from([0]), literal(name), literal(value)])))
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  const size = [127]
  let rest = bytes.length - 127
  for (; rest >= 128; rest >>= 7) size.push((rest & 127) | 128)
  return Buffer.concat([Buffer.from([...size, rest]), bytes])
}

/** A visitor that writes frames of HTTP/2 as it likes. */
export class RawHttp2Visitor implements Disposable {
  readonly visitor: RawVisitor

  private constructor(visitor: RawVisitor) {
    this.visitor = visitor
  }

  static async connect(tlsPort: number): Promise<RawHttp2Visitor> {
    const visitor = await RawVisitor.connectTls(tlsPort, 'app.test', ['h2'])
    visitor.send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    const raw = new RawHttp2Visitor(visitor)
    raw.send(frame(frameTypes.settings, 0, 0))
    return raw
  }

  send(...frames: readonly Buffer[]): void {
    this.visitor.socket.write(Buffer.concat(frames))
  }

  get frames(): ReceivedFrame[] {
    const bytes = Buffer.from(this.visitor.text, 'latin1')
    const frames: ReceivedFrame[] = []
    for (let at = 0; at + 9 <= bytes.length;) {
      const end = at + 9 + bytes.readUIntBE(at, 3)
      if (end > bytes.length) break
      const payload = bytes.subarray(at + 9, end)
      frames.push({
        type: bytes.readUInt8(at + 3),
        flags: bytes.readUInt8(at + 4),
        streamId: bytes.readUInt32BE(at + 5),
        payload,
      })
      at = end
    }
    return frames
  }

  /** Resolves with all frames once one of them is the last of a stream, or once the connection is over. */
  async untilAnswered(streamId: number): Promise<ReceivedFrame[]> {
    await this.visitor.until(() => this.frames.some((received) => received.streamId === streamId && isLast(received)))
    return this.frames
  }

  [Symbol.dispose](): void {
    this.visitor[Symbol.dispose]()
  }
}

function isLast({ type, flags }: ReceivedFrame): boolean {
  return (
    type === frameTypes.reset ||
    ((type === frameTypes.headers || type === frameTypes.data) && (flags & endStream) !== 0)
  )
}
