import type { GoAwayCode } from '../codes.ts'
import { goAwayCodeOf, resetCodeOf } from '../codes.ts'
import { wire } from '../limits.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { ResetCode, StreamHeader } from '../stream/mux-stream.ts'
import { CONTROL, DATA, END_FLAG, GOAWAY, OPEN, PING, PONG, RESET, WINDOW } from './frame-types.ts'
import { decodeStreamHeader } from './stream-header.ts'

/** A decoded GOAWAY. */
export interface GoAway {
  readonly code: GoAwayCode
  readonly retryAfterMs: number
  readonly message: string
}

/** Receives the frames of streams. Buffers are views on the message. */
export interface StreamFrameVisitor {
  onOpen(id: number, header: StreamHeader): void
  onData(id: number, payload: Buffer, isEnd: boolean): void
  onWindow(id: number, creditBytes: number): void
  onReset(id: number, code: ResetCode, message: string): void
}

/** Receives the frames of the session itself. */
export interface SessionFrameVisitor {
  onPing(payload: Buffer): void
  onPong(payload: Buffer): void
  onControlBytes(json: Buffer): void
  onGoAwayFrame(goAway: GoAway): void
}

/** Reads one message, calling a visitor for every frame in order. Throws `ProtocolError` and nothing else of its own. */
export function decodeMessage(message: Buffer, streams: StreamFrameVisitor, session: SessionFrameVisitor): void {
  if (message.length === 0) throw new ProtocolError('empty message')
  if (message.length > wire.messageMaxBytes) throw new ProtocolError('message over the bound')
  let offset = 0
  while (offset < message.length) {
    if (message.length - offset < wire.headerBytes) throw new ProtocolError('message ends inside a frame header')
    const word = message.readUInt32BE(offset)
    const start = offset + wire.headerBytes
    const end = start + (word >>> 8)
    if (end > message.length) throw new ProtocolError('message ends inside a frame')
    const kind = word & 0xff
    const id = message.readUInt32BE(offset + 4)
    if (kind < PING << 4) visitStreamFrame(streams, kind, id, message, start, end)
    else visitSessionFrame(session, kind, id, message.subarray(start, end))
    offset = end
  }
}

/** `kind` is the type in the upper and the flags in the lower four bits; only DATA has a flag. */
function visitStreamFrame(
  visitor: StreamFrameVisitor,
  kind: number,
  id: number,
  message: Buffer,
  start: number,
  end: number,
): void {
  switch (kind) {
    case DATA << 4:
    case (DATA << 4) | END_FLAG:
      return visitData(visitor, id, message.subarray(start, end), (kind & END_FLAG) !== 0)
    case WINDOW << 4:
      return visitor.onWindow(streamId(id), creditOf(message, start, end))
    case OPEN << 4:
      return visitor.onOpen(streamId(id), decodeStreamHeader(message.subarray(start, end)))
    case RESET << 4:
      requireSize(end - start, 2, 2 + wire.reasonMaxBytes)
      return visitor.onReset(streamId(id), resetCodeOf(message.readUInt16BE(start)), textOf(message, start + 2, end))
    default:
      throw new ProtocolError(`unknown frame ${kind.toString(16)}`)
  }
}

function visitData(visitor: StreamFrameVisitor, id: number, payload: Buffer, isEnd: boolean): void {
  if (payload.length > wire.dataMaxBytes) throw new ProtocolError('DATA over the bound')
  if (payload.length === 0 && !isEnd) throw new ProtocolError('empty DATA without END')
  visitor.onData(streamId(id), payload, isEnd)
}

function visitSessionFrame(visitor: SessionFrameVisitor, kind: number, id: number, payload: Buffer): void {
  if (id !== 0) throw new ProtocolError(`frame ${kind.toString(16)} on a stream`)
  switch (kind) {
    case PING << 4:
      requireSize(payload.length, 8, 8)
      return visitor.onPing(payload)
    case PONG << 4:
      requireSize(payload.length, 8, 8)
      return visitor.onPong(payload)
    case CONTROL << 4:
      requireSize(payload.length, 2, wire.controlMaxBytes)
      return visitor.onControlBytes(payload)
    case GOAWAY << 4:
      requireSize(payload.length, 6, 6 + wire.reasonMaxBytes)
      return visitor.onGoAwayFrame({
        code: goAwayCodeOf(payload.readUInt16BE(0)),
        retryAfterMs: payload.readUInt32BE(2),
        message: textOf(payload, 6, payload.length),
      })
    default:
      throw new ProtocolError(`unknown frame ${kind.toString(16)}`)
  }
}

function streamId(id: number): number {
  if (id === 0 || id > wire.streamIdMax) throw new ProtocolError('stream id out of range')
  return id
}

function creditOf(message: Buffer, start: number, end: number): number {
  requireSize(end - start, 4, 4)
  const credit = message.readUInt32BE(start)
  if (credit === 0 || credit > wire.creditMaxBytes) throw new ProtocolError('credit out of range')
  return credit
}

function textOf(message: Buffer, start: number, end: number): string {
  return message.toString('utf8', start, end)
}

function requireSize(size: number, min: number, max: number): void {
  if (size < min || size > max) throw new ProtocolError(`frame payload of ${size} bytes, expected ${min} to ${max}`)
}
