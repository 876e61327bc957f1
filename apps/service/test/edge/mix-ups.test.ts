import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { startTestEdge } from './running-edge.ts'

/** Repeats tag and body; some answers with a length, some late, some with the end of the connection. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const tag = Number(request.headers['x-tag'])
  const text = expectedText(tag, (await request.setEncoding('utf8').toArray()).join(''))
  if (tag % 7 === 0 && request.httpVersion === '1.1') response.setHeader('connection', 'close')
  if (tag % 3 === 0) response.setHeader('content-length', Buffer.byteLength(text))
  if (tag % 11 === 0) await new Promise((resolve) => setImmediate(resolve))
  response.setHeader('x-tag', tag)
  response.end(text)
}

function expectedText(tag: number, body: string): string {
  return `${tag}:${body} `.repeat(1 + (tag % 50))
}

async function overHttp2(session: ClientHttp2Session, tag: number, body: string): Promise<string> {
  const method = body === '' ? 'GET' : 'POST'
  const headers = { ':method': method, ':authority': 'app.test', ':path': `/${tag}`, 'x-tag': String(tag) }
  const stream = session.request(headers, { endStream: body === '' })
  if (body !== '') stream.end(body)
  const [reply] = (await once(stream, 'response')) as [Record<string, string>]
  return `${reply['x-tag']} ${(await stream.setEncoding('utf8').toArray()).join('')}`
}

async function overHttp1(port: number, tag: number, body: string): Promise<string> {
  const content = body === '' ? {} : { method: 'POST', body }
  const reply = await fetch(`http://127.0.0.1:${port}/${tag}`, { headers: { 'x-tag': String(tag) }, ...content })
  return `${reply.headers.get('x-tag')} ${await reply.text()}`
}

/** Node's HTTP/2 has requests and responses in the shape of those of HTTP/1.1. */
type Listener = (request: unknown, response: unknown) => void
const serve: Listener = (request, response) => void answer(request as IncomingMessage, response as ServerResponse)
const upstreams = {
  http1: () => createServer({}, serve),
  http2: () => createHttp2Server({}, serve),
}

it.each(['http1', 'http2'] as const)(
  'no two exchanges are mixed up, in thousands of requests of all kinds over both protocols, to %s',
  async (upstreamProtocol) => {
    const upstream = upstreams[upstreamProtocol]().listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const upstreamPort = (upstream.address() as AddressInfo).port
    await using edge = await startTestEdge({ upstreamPort, upstreamProtocol })
    const session = connectHttp2(`https://127.0.0.1:${edge.tlsPort}`, {
      rejectUnauthorized: false,
      servername: 'app.test',
    })
    const total = process.env['TEST_LONG'] === '1' ? 200_000 : 3_000
    let next = 0
    const visit = async (send: (tag: number, body: string) => Promise<string>) => {
      while (next < total) {
        const tag = next++
        const body = tag % 2 === 0 ? '' : 'x'.repeat(1 + (tag % 300))
        expect(await send(tag, body)).toBe(`${tag} ${expectedText(tag, body)}`)
      }
    }
    const byHttp2 = (tag: number, body: string) => overHttp2(session, tag, body)
    const byHttp1 = (tag: number, body: string) => overHttp1(edge.port, tag, body)
    await Promise.all(Array.from({ length: 32 }, (_, i) => visit(i % 2 === 0 ? byHttp2 : byHttp1)))
    expect(edge.streams.length).toBeLessThan(total / 2)
    session.close()
    upstream.close()
    if ('closeAllConnections' in upstream) upstream.closeAllConnections()
  },
  300_000,
)
