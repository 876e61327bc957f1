import { describe, expect, it } from 'vitest'
import type { FrameWriter } from '../src/frames/frame-writer.ts'
import { encodeStreamHeader } from '../src/frames/stream-header.ts'
import { wire } from '../src/index.ts'
import { RawPeer } from './raw-peer.ts'
import { attachCounting, header } from './sinks.ts'

const opening = encodeStreamHeader(header)
const bytes = (size: number) => Buffer.alloc(size)

describe('a peer that breaks the protocol is closed with the reason', () => {
  it.each<[string, (writer: FrameWriter) => void]>([
    ['DATA for a stream that never was', (w) => w.data(1, bytes(1), 0, 1, false)],
    ['WINDOW for a stream that never was', (w) => w.window(2, 1)],
    ['RESET for a stream that never was', (w) => w.reset(7, 'cancelled', '')],
    ['OPEN with an id of ours', (w) => w.open(2, opening)],
    [
      'OPEN with a used id',
      (w) => {
        w.open(3, opening)
        w.open(3, opening)
      },
    ],
    [
      'OPEN with a lower id',
      (w) => {
        w.open(3, opening)
        w.open(1, opening)
      },
    ],
    [
      'DATA after END',
      (w) => {
        w.open(1, opening)
        w.data(1, bytes(1), 0, 1, true)
        w.data(1, bytes(1), 0, 1, false)
      },
    ],
    ['control text that is no JSON', (w) => w.control('nonsense')],
    ['a control message out of bounds', (w) => w.control('{"type":"unbind","bindId":""}')],
  ])('%s', async (_name, write) => {
    const peer = new RawPeer()
    await peer.send(write)
    expect(peer.onSession.ending).toMatchObject({ by: 'local', code: 'protocol_error' })
    expect(peer.closeCode).toBe(4001)
  })

  it('more bytes than credit', async () => {
    const peer = new RawPeer()
    const full = bytes(wire.dataMaxBytes)
    await peer.send((w) => {
      w.open(1, opening)
      w.data(1, full, 0, full.length, false)
    })
    expect(peer.session.isClosed).toBe(false)
    await peer.send((w) => w.data(1, full, 0, 1, false))
    expect(peer.onSession.ending).toMatchObject({ by: 'local', code: 'flow_control_error' })
    expect(peer.closeCode).toBe(4002)
  })

  it('credit over the bound', async () => {
    const peer = new RawPeer()
    await peer.send((w) => {
      w.open(1, opening)
      w.window(1, wire.creditMaxBytes)
    })
    expect(peer.onSession.ending).toMatchObject({ code: 'flow_control_error' })
  })

  it('damaged bytes', async () => {
    const peer = new RawPeer()
    await peer.sendBytes(Buffer.from('GET / HTTP/1.1\r\n\r\n'))
    expect(peer.onSession.ending).toMatchObject({ code: 'protocol_error' })
  })
})

it('frames for a stream that is over are ignored and counted', async () => {
  const peer = new RawPeer()
  await peer.send((w) => w.open(1, opening))
  peer.onSession.streams[0]?.reset('cancelled')
  await peer.send((w) => {
    w.data(1, bytes(10), 0, 10, false)
    w.window(1, 5)
    w.reset(1, 'cancelled', '')
  })
  expect(peer.session.isClosed).toBe(false)
  expect(peer.session.ignored.frames).toBe(3)
})

it('a flood of pings is answered once for each message', async () => {
  const peer = new RawPeer()
  await peer.send((w) => {
    for (let n = 0; n < 1000; n++) w.ping(Buffer.from([0, 0, 0, 0, 0, 0, n >> 8, n & 255]))
  })
  expect(Buffer.concat(peer.received).length).toBe(16)
  expect(Buffer.concat(peer.received).subarray(-2)).toEqual(Buffer.from([3, 231]))
})

it('unread data of many small frames is bounded by the window, and stays unread until there is a reader', async () => {
  const peer = new RawPeer()
  await peer.send((w) => {
    w.open(1, opening)
    for (let n = 0; n < 4000; n++) w.data(1, Buffer.from([n & 255]), 0, 1, false)
  })
  const stream = peer.onSession.streams[0]!
  const sink = attachCounting(stream)
  expect(sink.bytes).toBe(4000)
  expect(sink.chunks).toBeLessThan(10)
})

it('a peer that asks but does not read is closed before its answers fill the memory', async () => {
  const peer = new RawPeer({ transportMaxBytes: 100_000 })
  peer.stopReading()
  for (let round = 0; round < 50 && !peer.session.isClosed; round++) {
    await peer.send((w) => {
      for (let n = 0; n < 500; n++) w.open(1 + 2 * (round * 500 + n), opening)
    })
    for (const stream of peer.onSession.streams.splice(0)) stream.reset('refused', 'x'.repeat(200))
  }
  expect(peer.onSession.ending).toMatchObject({ by: 'local', code: 'limit_exceeded' })
})

it('a failure of our own code ends the session, not the process', async () => {
  const peer = new RawPeer()
  const failure = new Error('bug')
  peer.onSession.onStreamOpened = () => {
    throw failure
  }
  await peer.send((w) => w.open(1, opening))
  expect(peer.onSession.ending).toMatchObject({ by: 'local', code: 'internal_error', cause: failure })
})
