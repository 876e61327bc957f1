import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goAwayNumbers, resetNumbers } from '../codes.ts'
import { wire } from '../limits.ts'
import { ProtocolError } from '../protocol-error.ts'
import { decodeMessage } from './decode-message.ts'
import { FrameWriter } from './frame-writer.ts'
import { encodeStreamHeader } from './stream-header.ts'

type Frame = readonly [name: string, ...fields: unknown[]]

/** Everything that a decoder reports, in order. */
function framesOf(messages: readonly Buffer[]): Frame[] {
  const frames: Frame[] = []
  const note =
    (name: string) =>
    (...fields: unknown[]) =>
      void frames.push([name, ...fields.map(plain)])
  const streams = { onOpen: note('open'), onData: note('data'), onWindow: note('window'), onReset: note('reset') }
  const session = {
    onPing: note('ping'),
    onPong: note('pong'),
    onControlBytes: note('control'),
    onGoAwayFrame: note('goAway'),
  }
  for (const message of messages) decodeMessage(message, streams, session)
  return frames
}

function plain(field: unknown): unknown {
  return Buffer.isBuffer(field) ? field.toString('latin1') : field
}

function write(frames: readonly Frame[]): Buffer[] {
  const messages: Buffer[] = []
  const writer = new FrameWriter({ send: (parts) => void messages.push(Buffer.concat(parts)) })
  for (const frame of frames) writeFrame(writer, frame)
  writer.flush()
  return messages
}

function writeFrame(writer: FrameWriter, [name, first, second, third]: Frame): void {
  const bytes = (text: unknown) => Buffer.from(text as string, 'latin1')
  const id = first as number
  if (name === 'open') writer.open(id, encodeStreamHeader(second as Parameters<typeof encodeStreamHeader>[0]))
  else if (name === 'data') writer.data(id, bytes(second), 0, bytes(second).length, third as boolean)
  else if (name === 'window') writer.window(id, second as number)
  else if (name === 'reset') writer.reset(id, second as keyof typeof resetNumbers, third as string)
  else if (name === 'ping') writer.ping(bytes(first))
  else if (name === 'pong') writer.pong(bytes(first))
  else if (name === 'control') writer.control(first as string)
  else {
    const { code, retryAfterMs, message } = first as {
      code: keyof typeof goAwayNumbers
      retryAfterMs: number
      message: string
    }
    writer.goAway(code, retryAfterMs, message)
  }
}

const id = fc.integer({ min: 1, max: wire.streamIdMax })
const latin = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => Buffer.from(bytes).toString('latin1'))
const visible = (minLength: number) =>
  fc
    .array(fc.integer({ min: 33, max: 126 }), { minLength, maxLength: 64 })
    .map((codes) => String.fromCharCode(...codes))
const reason = fc.string({ unit: 'grapheme', maxLength: 20 })
const header = fc.record({
  kind: fc.constantFrom('http' as const, 'raw' as const),
  bindId: visible(1),
  visitorAddress: visible(0),
})
const anyFrame: fc.Arbitrary<Frame> = fc.oneof(
  fc.tuple(fc.constant('open'), id, header),
  fc.tuple(fc.constant('data'), id, latin(1, 3000), fc.boolean()),
  fc.tuple(fc.constant('data'), id, fc.constant(''), fc.constant(true)),
  fc.tuple(fc.constant('window'), id, fc.integer({ min: 1, max: wire.creditMaxBytes })),
  fc.tuple(
    fc.constant('reset'),
    id,
    fc.constantFrom(...(Object.keys(resetNumbers) as (keyof typeof resetNumbers)[])),
    reason,
  ),
  fc.tuple(fc.constantFrom('ping', 'pong'), latin(8, 8)),
  fc.tuple(
    fc.constant('control'),
    latin(2, 100).filter((text) => /^[ -~]*$/.test(text)),
  ),
  fc.tuple(
    fc.constant('goAway'),
    fc.record({
      code: fc.constantFrom(...(Object.keys(goAwayNumbers) as (keyof typeof goAwayNumbers)[])),
      retryAfterMs: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      message: reason,
    }),
  ),
)

describe('frames', () => {
  it('come out of the decoder as they went into the writer, joined as they may be', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 60 }), (frames) => {
        expect(framesOf(write(frames))).toEqual(frames)
      }),
    )
  })

  it('that fill more than one message are split between messages, each within the bound', () => {
    const chunk = Buffer.alloc(wire.dataMaxBytes, 'x').toString()
    const frames = Array.from({ length: 10 }, () => ['data', 2, chunk, false] as const)
    const messages = write(frames)
    expect(messages.length).toBeGreaterThan(5)
    expect(Math.max(...messages.map(({ length }) => length))).toBeLessThanOrEqual(wire.messageMaxBytes)
    expect(framesOf(messages)).toEqual(frames)
  })

  it('of a small exchange leave as one message', () => {
    const frames: Frame[] = [
      ['open', 2, { kind: 'http', bindId: 'b', visitorAddress: '10.0.0.1:5' }],
      ['data', 2, 'GET / HTTP/1.1\r\n\r\n'.repeat(40), false],
      ['window', 2, 1000],
      ['data', 2, '', true],
    ]
    expect(write(frames)).toHaveLength(1)
  })
})

describe('the decoder', () => {
  it('throws nothing but protocol errors on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(isTolerated(Buffer.from(bytes))).toBe(true)
      }),
      { numRuns: process.env['TEST_LONG'] ? 1_000_000 : 3000 },
    )
  })

  it('throws nothing but protocol errors on damaged messages', () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(fc.array(anyFrame, { minLength: 1, maxLength: 8 }), damage, fc.nat(), (frames, changes, cut) => {
        const message = Buffer.concat(write(frames))
        for (const [at, value] of changes) message[at % message.length] = value
        expect(isTolerated(message.subarray(0, 1 + (cut % message.length)))).toBe(true)
      }),
      { numRuns: process.env['TEST_LONG'] ? 200_000 : 1500 },
    )
  })

  const frame = (hex: string, payload = '') => Buffer.from(hex.replaceAll(' ', '') + payload, 'hex')
  it.each([
    ['an empty message', Buffer.alloc(0)],
    ['a message over the bound', Buffer.alloc(wire.messageMaxBytes + 1)],
    ['half a header', frame('000000 20 00')],
    ['half a payload', frame('000002 20 00000002', 'aa')],
    ['a frame of zeros', Buffer.alloc(8)],
    ['an unknown type', frame('000000 90 00000000')],
    ['an unknown flag', frame('000001 22 00000002', 'aa')],
    ['a flag on another type', frame('000004 31 00000002', '00000001')],
    ['DATA on stream 0', frame('000001 20 00000000', 'aa')],
    ['DATA without bytes or END', frame('000000 20 00000002')],
    ['DATA over the bound', Buffer.concat([frame('010001 20 00000002'), Buffer.alloc(wire.dataMaxBytes + 1)])],
    ['an id over the bound', frame('000001 20 80000000', 'aa')],
    ['WINDOW of 3 bytes', frame('000003 30 00000002', '000001')],
    ['WINDOW of nothing', frame('000004 30 00000002', '00000000')],
    ['WINDOW over the bound', frame('000004 30 00000002', '80000000')],
    ['RESET without a code', frame('000001 40 00000002', '00')],
    ['PING of 7 bytes', frame('000007 50 00000000', '00'.repeat(7))],
    ['PING on a stream', frame('000008 50 00000001', '00'.repeat(8))],
    ['CONTROL without JSON', frame('000001 70 00000000', '7b')],
    ['GOAWAY that is too short', frame('000005 80 00000000', '0000000000')],
    ['OPEN of nothing', frame('000000 10 00000002')],
    ['OPEN of an unknown kind', frame('000004 10 00000002', '03016100')],
    ['OPEN without a bind id', frame('000003 10 00000002', '010000')],
    ['OPEN with bytes left over', frame('000005 10 00000002', '0101610000')],
    ['OPEN with a control character', frame('000004 10 00000002', '01010a00')],
  ])('refuses %s', (_name, message) => {
    expect(() => framesOf([message])).toThrow(ProtocolError)
  })

  it('reads codes that later versions may add', () => {
    expect(framesOf([frame('000002 40 00000002', 'ffff')])).toEqual([['reset', 2, 'internal_error', '']])
    expect(framesOf([frame('000006 80 00000000', 'ffff00000001')])).toEqual([
      ['goAway', { code: 'internal_error', retryAfterMs: 1, message: '' }],
    ])
  })
})

/** Whether the decoder reads a message or throws what it may throw. */
function isTolerated(message: Buffer): boolean {
  try {
    framesOf([message])
    return true
  } catch (error) {
    return error instanceof ProtocolError
  }
}

it('cuts long reasons on a character border', () => {
  const [[, , , message]] = framesOf(write([['reset', 2, 'cancelled', 'é'.repeat(200)]])) as [Frame]
  expect(message).toBe('é'.repeat(128))
  const [[, , , odd]] = framesOf(write([['reset', 2, 'cancelled', `x${'é'.repeat(200)}`]])) as [Frame]
  expect(odd).toBe(`x${'é'.repeat(127)}`)
})
