import { once } from 'node:events'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls, TLSSocket } from 'node:tls'
import { startHttpUpstream } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { edgeLimits } from '../../src/edge/limits.ts'
import { RawVisitor } from './raw-visitor.ts'
import { startTestEdge } from './running-edge.ts'
import { testCertificates } from './test-certificates.ts'

let upstream: Awaited<ReturnType<typeof startHttpUpstream>>
let edge: Awaited<ReturnType<typeof startTestEdge>>
beforeAll(async () => {
  upstream = await startHttpUpstream()
  edge = await startTestEdge({ upstreamPort: upstream.port })
})
afterAll(async () => {
  await edge[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

async function get(serverName: string, host: string): Promise<string> {
  using visitor = await RawVisitor.connectTls(edge.tlsPort, serverName)
  visitor.send(`GET /request HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  return await visitor.closed()
}

describe('HTTPS at the edge', () => {
  it('is trusted by who trusts the root, by the name that was asked for', async () => {
    const { rootPem } = await testCertificates()
    for (const servername of ['app.test', 'www.app.test', 'gone.test']) {
      const socket = connectTls({ port: edge.tlsPort, host: '127.0.0.1', servername, ca: rootPem })
      await once(socket, 'secureConnect')
      expect(socket.authorized).toBe(true)
      socket.destroy()
    }
  })

  it('tells the upstream that the visitor came by HTTPS', async () => {
    expect(await get('app.test', 'app.test')).toContain('"x-forwarded-proto":"https"')
  })

  it.each([
    ['in mixed case', 'App.TEST', 'app.test', '200'],
    ['with a trailing dot', 'app.test.', 'app.test', '200'],
    ['absent', '', 'app.test', '200'],
    ['of another name that the certificate covers', 'www.app.test', 'app.test', '200'],
    ['of a name whose certificate does not cover the Host', 'gone.test', 'app.test', '421'],
    ['absent, for a name that the default certificate does not cover', '', 'gone.test', '421'],
    ['unknown, for a Host of another', 'other.example', 'app.test', '421'],
    ['unknown', 'other.example', 'other.example', '404'],
  ])('server name %s: routed by Host, never by the certificate alone', async (_case, serverName, host, status) => {
    expect((await get(serverName, host)).slice(9, 12)).toBe(status)
  })

  it('a ClientHello in pieces of one byte is the same as a whole one', async () => {
    const socket = connect({ port: edge.tlsPort, host: '127.0.0.1', noDelay: true })
    const oneByOne = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        for (const byte of chunk) socket.write(Buffer.from([byte]))
        done()
      },
    })
    socket.on('data', (chunk) => oneByOne.push(chunk))
    const visitor = new RawVisitor(new TLSSocket(oneByOne, { rejectUnauthorized: false }))
    visitor.send('GET / HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n')
    expect(await visitor.until((text) => text.includes('World!'))).toMatch(/^HTTP\/1.1 200/)
    socket.destroy()
  })

  it('an exception while a certificate is chosen ends that handshake and nothing else', async () => {
    const certificates = await testCertificates()
    const faulty = {
      fallback: () => certificates.fallback(),
      contextFor: (name: string) => {
        if (name === 'throws.test') throw new Error('a fault in the certificate store')
        if (name === 'rejects.test') return Promise.reject(new Error('a fault in the certificate store'))
        return certificates.contextFor(name)
      },
      keyPairFor: (name: string) => certificates.keyPairFor(name),
      covers: () => true,
    }
    await using other = await startTestEdge({ upstreamPort: upstream.port, certificates: faulty })
    for (const name of ['throws.test', 'rejects.test']) {
      const socket = connectTls({ port: other.tlsPort, host: '127.0.0.1', servername: name, rejectUnauthorized: false })
      const [error] = await once(socket, 'error').catch((thrown: Error) => [thrown])
      expect(error).toBeInstanceOf(Error)
    }
    using visitor = await RawVisitor.connectTls(other.tlsPort, 'app.test')
    visitor.send('GET / HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n')
    expect(await visitor.closed()).toMatch(/^HTTP\/1.1 200/)
  })

  it.each([
    [70, 'secureConnect'],
    [90, 'error'],
  ])('a ClientHello with %i long protocols, 16 KiB being the most: %s', async (count, outcome) => {
    const others = Array.from({ length: count }, (_, index) => String(index).padStart(200, 'x'))
    const terms = { rejectUnauthorized: false, ALPNProtocols: ['http/1.1', ...others] }
    const socket = connectTls({ port: edge.tlsPort, host: '127.0.0.1', servername: 'app.test', ...terms })
    const seen: string[] = []
    for (const event of ['secureConnect', 'error']) socket.on(event, () => seen.push(event) && socket.destroy())
    await once(socket, 'close').catch(() => undefined)
    expect(seen).toEqual([outcome])
  })

  it('who leaves in the middle of a handshake is forgotten at once, not at the time limit', async () => {
    const { promise: written, resolve } = Promise.withResolvers<Buffer>()
    const hello = new Duplex({ read: () => undefined, write: (chunk: Buffer) => resolve(chunk) })
    connectTls({ socket: hello })
    const bytes = await written
    const socket = connect({ port: edge.tlsPort, host: '127.0.0.1', allowHalfOpen: true }).resume()
    socket.end(bytes)
    const startedAtMs = performance.now()
    await once(socket, 'close')
    expect(performance.now() - startedAtMs).toBeLessThan(edgeLimits.tlsHandshakeMs / 2)
  })

  it('a handshake that does not begin is ended', async () => {
    await using other = await startTestEdge({ limits: { tlsHandshakeMs: 50 } })
    using silent = await RawVisitor.connect(other.tlsPort)
    expect(await silent.closed()).toBe('')
  })
})
