import { once } from 'node:events'
import { get } from 'node:https'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { startProcess } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { lookup } from '../src/network/lookup.ts'
import { httpsAgentFor } from '../src/network/proxy.ts'

const listener = `
const server = require('node:net').createServer((socket) => socket.resume())
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log('port ' + server.address().port))`

it.runIf(process.platform === 'linux')(
  'an address whose first packet is lost is waited for, although the other one of the name refuses',
  async () => {
    await using service = await startProcess(process.execPath, ['-e', listener])
    const [, port] = (await service.waitForOutput(/port (\d+)/)).map(Number)
    if (port === undefined) throw new Error('no port')
    // Nobody accepts, so the system takes two connections and drops what comes after them.
    service.signal('SIGSTOP')
    const fillers = Array.from({ length: 2 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    await Promise.all(fillers.map((socket) => once(socket, 'connect')))

    // Both loopback addresses; the second one refuses.
    const request = get({ host: 'localhost', port, lookup, agent: httpsAgentFor('localhost', port, null) })
    const failure = once(request, 'error')
    const [socket] = (await once(request, 'socket')) as [TLSSocket]
    const connected = Promise.race([once(socket, 'connect'), failure.then(([error]) => Promise.reject(error as Error))])
    // The first address is asked before the loop turns.
    await setImmediate()
    service.signal('SIGCONT')

    await connected
    expect(socket.remoteAddress).toBe('127.0.0.1')
    request.destroy()
    for (const filler of fillers) filler.destroy()
  },
)
