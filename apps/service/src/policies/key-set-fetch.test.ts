import { createServer } from 'node:https'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { KeySetFetcher } from './key-set-fetch.ts'
import { PrivateHosts } from './private-hosts.ts'

describe('where key sets may come from', () => {
  it('a name that leads to loopback is not connected to', async () => {
    const connections: unknown[] = []
    const server = createServer()
      .on('connection', (socket) => connections.push(socket))
      .listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using keySets = new KeySetFetcher(new PrivateHosts(['127.0.0.2', 'local.example']))
    const { port } = server.address() as { port: number }
    for (const host of ['localhost', 'localhost.', '127.0.0.1', '0177.0.0.1', '2130706433', '[::ffff:127.0.0.1]'])
      await expect(keySets.fetch(`https://${host}:${port}/`)).rejects.toThrow(
        /has an address that is not public|ENOTFOUND/,
      )
    expect(connections).toEqual([])
    server.close()
  })

  it.each([[['localhost']], [['127.0.0.0/8', '::1']]])('the operator may let in %j', async (hosts) => {
    await using keySets = new KeySetFetcher(new PrivateHosts(hosts))
    // Port 1 is nobody's: what counts is that the connection was tried.
    await expect(keySets.fetch('https://localhost:1/')).rejects.toThrow(/ECONNREFUSED/)
  })
})
