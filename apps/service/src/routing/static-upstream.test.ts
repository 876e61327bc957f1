import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { StreamEnding } from '@tunnel/session-protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type StaticReach, staticUpstream } from './static-upstream.ts'

const header = { visitorAddress: '192.0.2.1:1', kind: 'http' } as const
const target = (address: string, isTls = false) => ({ id: 'bkdsc_1', accountId: 'ac_1', address, isTls })

/** What a stream to the address delivers, and how it ends. */
function exchange(address: string, reach: StaticReach, isTls = false): Promise<{ text: string; ending: StreamEnding }> {
  const stream = staticUpstream(target(address, isTls), reach).openStream(header)
  let text = ''
  return new Promise((resolve) => {
    stream.attach({
      onData: (chunk) => (text += String(chunk)),
      onEnd: () => stream.end(),
      onDrain: () => undefined,
      onClose: (ending) => resolve({ text, ending }),
    })
    stream.write(Buffer.from('hello'))
  })
}

async function echoPort(): Promise<number> {
  const server = createServer((socket) => socket.once('data', (chunk) => socket.end(chunk)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('a static backend', () => {
  it('carries bytes both ways', async () => {
    const { text, ending } = await exchange(`127.0.0.1:${await echoPort()}`, 'any')
    expect(text).toBe('hello')
    expect(ending).toEqual({ kind: 'finished' })
  })

  it('tells why it cannot connect', async () => {
    expect((await exchange('127.0.0.1:1', 'any')).ending).toMatchObject({ kind: 'reset', code: 'upstream_refused' })
    const plain = await echoPort()
    const { ending } = await exchange(`127.0.0.1:${plain}`, 'any', true)
    expect(ending).toMatchObject({ kind: 'reset', code: 'upstream_tls_failed' })
  })

  it.each([
    '127.0.0.1:80',
    '10.1.2.3:80',
    '169.254.169.254:80',
    '[::1]:80',
    '[::127.0.0.1]:80',
    '[::ffff:127.0.0.1]:80',
    '[64:ff9b::7f00:1]:80',
    '[2002:7f00:1::]:80',
    '[fe80::1%lo]:80',
    '[fd00::1]:80',
  ])('never leads to %s for an account (server-side request forgery)', (address) => {
    expect(() => staticUpstream(target(address), 'public').openStream(header)).toThrow('not a public one')
  })

  it.each(['localhost', 'localhost.', '0177.0.0.1', '2130706433', '0x7f.1'])(
    'never leads to a name that resolves to such an address: %s',
    async (name) => {
      const { ending } = await exchange(`${name}:${await echoPort()}`, 'public')
      expect(ending).toMatchObject({ kind: 'reset', code: 'upstream_unreachable' })
    },
  )
})
