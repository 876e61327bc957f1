import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { binaryMessageHeader } from './web-socket-message.ts'

const upgrade =
  'GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

it.each([0, 1, 125, 126, 65_535, 65_536, 300_000])(
  'a masked message of %i bytes is read by a WebSocket',
  async (size) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(upgrade)
    const [webSocket] = await once(server, 'connection')
    const payload = Buffer.alloc(size, 'x')
    socket.write(Buffer.concat([binaryMessageHeader(size, 'client'), payload]))
    const [message, isBinary] = await once(webSocket, 'message')
    expect(isBinary).toBe(true)
    expect(payload.equals(message)).toBe(true)
    socket.destroy()
    server.close()
  },
)

it('servers do not mask', () => {
  expect(binaryMessageHeader(5, 'server')).toEqual(Buffer.from([0x82, 5]))
  expect(binaryMessageHeader(5, 'client')).toEqual(Buffer.from([0x82, 0x85, 0, 0, 0, 0]))
})
