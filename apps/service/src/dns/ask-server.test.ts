import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { askServer } from './ask-server.ts'

/** Asks a name server that sends these bytes, whatever it is asked. */
async function askOneThatSends(bytes: Buffer): Promise<unknown> {
  const server = createServer((socket) => socket.on('error', () => undefined).end(bytes)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const answer = await askServer({ address: '127.0.0.1', port, name: 'acme.test', type: 'NS' }).catch(
    (error: unknown) => error,
  )
  server.close()
  return answer
}

it.each([
  ['more octets than a referral has', Buffer.concat([Buffer.from([0xff, 0xff]), Buffer.alloc(65_535)])],
  ['less than it announced', Buffer.from([0, 40, 1, 2, 3])],
  [
    'an answer to another question',
    Buffer.from('001c0007840000010000000000000373766304746573740000010001000000', 'hex'),
  ],
  ['a name that points at itself', Buffer.from('00120007840000010000000000 00c00c00020001'.replaceAll(' ', ''), 'hex')],
  ['nothing', Buffer.alloc(0)],
])('a name server of a customer that sends %s is an error, and no more', async (_case, bytes) => {
  expect(await askOneThatSends(bytes)).toBeInstanceOf(Error)
})
