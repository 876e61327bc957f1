import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { StreamCut, toDuplex } from '@tunnel/session-protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AgentFixture } from './agent-fixture.ts'
import { agentKinds } from './bundled-agent.ts'
import { FakeService } from './fake-service.ts'

let service: FakeService
let agent: AgentFixture
let upstream: Server | null = null
const streams: Duplex[] = []

/** A program on the device, and a stream that leads to it. */
async function streamTo(onConnection: (socket: Socket) => void): Promise<Duplex> {
  upstream = createServer({ allowHalfOpen: true }, (socket) => onConnection(socket.on('error', () => undefined)))
  await once(upstream.listen(0, '127.0.0.1'), 'listening')
  return streamFor(`127.0.0.1:${(upstream.address() as AddressInfo).port}`)
}

async function streamFor(forwardsTo: string): Promise<Duplex> {
  await agent.call('POST', '/tunnels', { forwards_to: forwardsTo, domain: 'a.example.com' })
  return openStream(service.latest.binds.at(-1)!.bindId)
}

function openStream(bindId: string): Duplex {
  const stream = toDuplex(service.latest.session.openStream({ bindId, kind: 'raw', visitorAddress: '192.0.2.1:5' }))
  streams.push(stream)
  return stream.on('error', () => undefined)
}

/** The code that the agent resets a stream with. */
async function resetCode(stream: Duplex): Promise<string | null> {
  const [error] = (await once(stream, 'error')) as [Error]
  return error instanceof StreamCut && error.ending.kind === 'reset' ? error.ending.code : null
}

describe.each(agentKinds)('$name', ({ start }) => {
  beforeEach(async () => {
    service = await FakeService.start()
    agent = await AgentFixture.create(start)
    await agent.start({ SERVICE_CONNECT_URL: service.url, AGENT_DOMAIN: 'agent.sitea.example.com' })
    await agent.untilStatus(({ session }) => session.state === 'online')
    await service.untilBinds(1)
  })

  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.destroy()
    await agent[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
    upstream?.close()
    upstream = null
  })

  describe('a stream', () => {
    it('carries bytes both ways unchanged, 20 MB each, and both ends', async () => {
      const stream = await streamTo((socket) => socket.pipe(socket))
      const blocks = Array.from({ length: 320 }, () => randomBytes(65_536))
      const received = buffer(stream)
      for (const block of blocks) if (!stream.write(block)) await once(stream, 'drain')
      stream.end()
      const hash = (data: Buffer): string => createHash('sha256').update(data).digest('hex')
      expect(hash(await received)).toBe(hash(Buffer.concat(blocks)))
    })

    it('keeps one direction open when the other has ended', async () => {
      const stream = await streamTo((socket) => socket.resume().on('end', () => socket.end('after the end')))
      stream.end('request')
      expect(String(await buffer(stream))).toBe('after the end')
    })

    it('is not spoilt by an upstream that resets after its answer is complete', async () => {
      const answer = randomBytes(300_000)
      const gone = Promise.withResolvers<void>()
      const stream = await streamTo((socket) => {
        socket.on('data', () => socket.resetAndDestroy()).on('close', () => gone.resolve())
        socket.end(answer)
      })
      expect((await buffer(stream)).equals(answer)).toBe(true)
      stream.write('more of the request')
      await gone.promise
      stream.write('and more')
      stream.end()
      expect(stream.errored).toBeNull()
    })

    it('makes the upstream wait for a visitor that does not read', async () => {
      let sent = 0
      let isBlocked = (): void => undefined
      const blocked = new Promise<void>((resolve) => (isBlocked = resolve))
      const stream = await streamTo((socket) => {
        const pour = (): void => {
          while (socket.write(Buffer.alloc(65_536))) sent += 65_536
          const timer = setTimeout(isBlocked, 500)
          socket.once('drain', () => {
            clearTimeout(timer)
            pour()
          })
        }
        pour()
      })
      stream.pause()
      await blocked
      expect(sent).toBeLessThan(24_000_000)
    })

    it('tells the upstream when the visitor has gone: a reset, not an orderly end', async () => {
      const ended = Promise.withResolvers<string>()
      const stream = await streamTo((socket) => {
        socket.on('data', () => stream.destroy())
        socket.on('end', () => ended.resolve('orderly end'))
        socket.on('error', () => ended.resolve('reset'))
      })
      stream.write('half a request')
      expect(await ended.promise).toBe('reset')
    })
  })

  describe('a stream is reset with the code for', () => {
    it('an upstream that refuses', async () => {
      const closed = createServer().listen(0, '127.0.0.1')
      await once(closed, 'listening')
      const { port } = closed.address() as AddressInfo
      await new Promise((resolve) => closed.close(resolve))
      expect(await resetCode(await streamFor(`localhost:${port}`))).toBe('upstream_refused')
    })

    it('an upstream whose name nobody knows', async () => {
      expect(await resetCode(await streamFor('no-such-host.invalid:80'))).toBe('upstream_unreachable')
    })

    it('an upstream that drops the connection', async () => {
      const stream = await streamTo((socket) => socket.once('data', () => socket.resetAndDestroy()))
      stream.write('request')
      expect(await resetCode(stream)).toBe('upstream_lost')
    })

    it('an upstream that does not speak TLS', async () => {
      await streamTo((socket) => socket.end('plain text\r\n\r\n'))
      const { port } = upstream!.address() as AddressInfo
      await agent.call('DELETE', '/tunnels/a')
      expect(await resetCode(await streamFor(`https://localhost:${port}`))).toBe('upstream_tls_failed')
    })

    it('a bind that this agent does not have', async () => {
      expect(await resetCode(openStream('unknown'))).toBe('refused')
    })
  })

  describe('the local API at the agent domain', () => {
    function callOverSession(path: string, headers: Record<string, string>): Promise<number | undefined> {
      return new Promise((resolve, reject) => {
        const call = request({ path, headers, createConnection: () => openStream('agent-api') }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode))
        })
        call.on('error', reject).end()
      })
    }

    it('is the same API behind a bind of its own', async () => {
      expect(service.latest.binds).toMatchObject([
        { bindId: 'agent-api', domain: 'agent.sitea.example.com', policy: null },
      ])
      expect(await callOverSession('/tunnels', { host: 'agent.sitea.example.com' })).toBe(200)
    })

    it.skipIf(start)('is warned about when everybody may call it', () => {
      expect(agent.logLines.join('')).toContain('AGENT_DOMAIN is set without AGENT_DOMAIN_POLICY_FILE')
    })

    it('refuses pages of other sites as well', async () => {
      const headers = { host: 'agent.sitea.example.com', origin: 'https://evil.example.com' }
      expect(await callOverSession('/tunnels', headers)).toBe(403)
    })
  })
})
