import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { readsOf } from './upstream-reads.ts'

it('what was read stays as it was, however large, while more is read', async () => {
  const sent = [1, 200_000, 30, 9_000, 70_000, 8_191, 500_000, 2].map((size) => randomBytes(size))
  const server = createServer((socket) => {
    void (async () => {
      for (const bytes of sent) await new Promise((resolve) => socket.write(bytes, resolve))
      socket.end()
    })()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const kept: Buffer[] = []
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', onread: readsOf((chunk) => void kept.push(chunk)) })
  await once(socket, 'end')
  server.close()
  expect(Buffer.concat(kept).equals(Buffer.concat(sent))).toBe(true)
})
