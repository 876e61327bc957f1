import { createServer } from 'node:https'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isPublicAddress, KeySetFetcher } from './key-set-fetch.ts'
import { PrivateHosts } from './private-hosts.ts'

describe('where key sets may come from', () => {
  it.each(['93.184.216.34', '8.8.8.8', '2606:4700::1111', '2a00:1450:4001:82b::200e'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    '2001::1',
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false))

  it('a name that leads to loopback is not connected to', async () => {
    const connections: unknown[] = []
    const server = createServer()
      .on('connection', (socket) => connections.push(socket))
      .listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using keySets = new KeySetFetcher(new PrivateHosts(['127.0.0.2', 'local.example']))
    const { port } = server.address() as { port: number }
    for (const host of ['localhost', '127.0.0.1', '[::ffff:7f00:1]'])
      await expect(keySets.fetch(`https://${host}:${port}/`)).rejects.toThrow('has an address that is not public')
    expect(connections).toEqual([])
    server.close()
  })

  it.each([[['localhost']], [['127.0.0.0/8', '::1']]])('the operator may let in %j', async (hosts) => {
    await using keySets = new KeySetFetcher(new PrivateHosts(hosts))
    // Port 1 is nobody's: what counts is that the connection was tried.
    await expect(keySets.fetch('https://localhost:1/')).rejects.toThrow(/ECONNREFUSED/)
  })
})
