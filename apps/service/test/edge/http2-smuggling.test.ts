import { describe, expect, it } from 'vitest'
import { endHeaders, endStream, frame, frameTypes, headerBlock, RawHttp2Visitor } from './raw-http2.ts'
import { startRawUpstream } from './raw-upstream.ts'
import { startTestEdge } from './running-edge.ts'

type Headers = readonly (readonly [string, string])[]

const pseudo: Headers = [
  [':method', 'POST'],
  [':scheme', 'https'],
  [':authority', 'app.test'],
  [':path', '/'],
]
const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: app.test\r\n\r\n'

/** What the upstream sees of a request with nothing but pseudo-headers. */
const plainRequest =
  'POST / HTTP/1.1\r\nHost: app.test\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: app.test\r\nX-Forwarded-Proto: https'

function replaced(name: string, value: string): Headers {
  return pseudo.map(([known, old]) => [known, known === name ? value : old] as const)
}

function without(name: string): Headers {
  return pseudo.filter(([known]) => known !== name)
}

/** Headers that no byte of may reach the upstream; `body` follows when there is one. */
const refusedCases: readonly { readonly name: string; readonly headers: Headers; readonly body?: string }[] = [
  { name: 'an upper-case name', headers: [...pseudo, ['X-A', 'b']] },
  { name: 'Transfer-Encoding', headers: [...pseudo, ['transfer-encoding', 'chunked']], body: `0\r\n\r\n${smuggled}` },
  { name: 'Connection', headers: [...pseudo, ['connection', 'close']] },
  { name: 'Keep-Alive', headers: [...pseudo, ['keep-alive', '5']] },
  { name: 'Proxy-Connection', headers: [...pseudo, ['proxy-connection', 'close']] },
  { name: 'Upgrade', headers: [...pseudo, ['upgrade', 'websocket']] },
  { name: 'TE other than trailers', headers: [...pseudo, ['te', 'gzip']] },
  { name: 'CR LF in the path', headers: replaced(':path', `/ HTTP/1.1\r\nHost: app.test\r\n\r\n${smuggled}`) },
  { name: 'a space in the path', headers: replaced(':path', '/a HTTP/1.1') },
  { name: 'a path without a slash', headers: replaced(':path', 'a') },
  { name: 'an empty path', headers: replaced(':path', '') },
  { name: 'an absolute path for another host', headers: replaced(':path', 'http://www.app.test/') },
  { name: 'a fragment in the path', headers: replaced(':path', '/a#b') },
  { name: 'a space in the method', headers: replaced(':method', 'GET /smuggled HTTP/1.1\r\nx:') },
  {
    name: 'CONNECT',
    headers: [
      [':method', 'CONNECT'],
      [':authority', 'app.test:443'],
    ],
  },
  { name: 'CONNECT with a protocol', headers: [...replaced(':method', 'CONNECT'), [':protocol', 'websocket']] },
  { name: 'user information in the authority', headers: replaced(':authority', 'app.test@www.app.test') },
  { name: 'CR LF in the authority', headers: replaced(':authority', 'app.test\r\nx-a: b') },
  { name: 'a Host that differs from the authority', headers: [...pseudo, ['host', 'www.app.test']] },
  { name: 'two Hosts', headers: [...without(':authority'), ['host', 'app.test'], ['host', 'www.app.test']] },
  { name: 'two paths', headers: [...pseudo, [':path', '/b']] },
  { name: 'no path', headers: without(':path') },
  { name: 'no method', headers: without(':method') },
  { name: 'no authority and no Host', headers: without(':authority') },
  { name: 'an unknown pseudo-header', headers: [...pseudo, [':version', '1']] },
  { name: 'a pseudo-header after another header', headers: [...without(':path'), ['x-a', 'b'], [':path', '/']] },
  { name: 'two lengths', headers: [...pseudo, ['content-length', '2'], ['content-length', '3']], body: 'abc' },
  { name: 'a length that is no number', headers: [...pseudo, ['content-length', '+2']], body: 'ab' },
  { name: 'a length without a body', headers: [...pseudo, ['content-length', '5']] },
]

/** Headers that nghttp2 takes away: the request goes on as if they had not been there. */
const droppedCases: readonly { readonly name: string; readonly headers: Headers }[] = [
  {
    name: 'CR LF in a value',
    headers: [...pseudo, ['x-a', `b\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`]],
  },
  { name: 'LF in a value', headers: [...pseudo, ['x-a', 'b\nx-c: d']] },
  { name: 'CR in a value', headers: [...pseudo, ['x-a', 'b\rx-c: d']] },
  { name: 'NUL in a value', headers: [...pseudo, ['x-a', 'b\0c']] },
  { name: 'CR LF in a name', headers: [...pseudo, ['x-a: b\r\nx-c', 'd']] },
  { name: 'a colon in a name', headers: [...pseudo, ['x-a: b', 'c']] },
  { name: 'a space in a name', headers: [...pseudo, ['x a', 'b']] },
  { name: 'an empty name', headers: [...pseudo, ['', 'b']] },
]

async function sendRequest(http2: RawHttp2Visitor, headers: Headers, body?: string): Promise<void> {
  const flags = body === undefined ? endHeaders | endStream : endHeaders
  http2.send(frame(frameTypes.headers, flags, 1, headerBlock(headers)))
  if (body !== undefined) http2.send(frame(frameTypes.data, endStream, 1, Buffer.from(body, 'latin1')))
  await http2.untilAnswered(1)
}

describe('HTTP/2 to HTTP/1.1: nothing in a request can become another one', () => {
  it.each(refusedCases)('$name is refused', async ({ headers, body }) => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using http2 = await RawHttp2Visitor.connect(edge.tlsPort)
    await sendRequest(http2, headers, body)
    expect(upstream.received()).toBe('')
  })

  it.each(droppedCases)('$name is dropped with its header', async ({ headers }) => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using http2 = await RawHttp2Visitor.connect(edge.tlsPort)
    await sendRequest(http2, headers)
    expect(upstream.received()).toBe(`${plainRequest}\r\n\r\n`)
  })

  it.each([
    ['shorter than its length', '5', 'abc'],
    ['longer than its length', '2', `ab${smuggled}`],
  ])('a body %s never completes a request', async (_name, length, body) => {
    await using upstream = await startRawUpstream(() => undefined)
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using http2 = await RawHttp2Visitor.connect(edge.tlsPort)
    await sendRequest(http2, [...pseudo, ['content-length', length]], body)
    await edge.streams[0]?.closed
    expect(upstream.received()).not.toMatch(/smuggled|\r\n\r\n.{5}/)
  })

  it.each([
    ['what is only for one hop', [['te', 'trailers']], '\r\nTE: trailers\r\nConnection: TE\r\n\r\n'],
    ['a Host that equals the authority', [['host', 'app.test']], '\r\n\r\n'],
    [
      'forwarding headers of the visitor',
      [
        ['x-forwarded-host', 'evil'],
        ['x_forwarded_for', '1.1.1.1'],
        ['forwarded', 'for=1.1.1.1'],
      ],
      '\r\n\r\n',
    ],
  ] as const)('%s is normalised', async (_name, headers, rest) => {
    await using upstream = await startRawUpstream()
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using http2 = await RawHttp2Visitor.connect(edge.tlsPort)
    await sendRequest(http2, [...pseudo, ...headers])
    expect(upstream.received()).toBe(`${plainRequest}${rest}`)
  })

  it('several cookies become one header, a body without a length becomes chunks, trailers lose framing', async () => {
    await using upstream = await startRawUpstream((text) =>
      text.endsWith('x-t: 1\r\n\r\n') ? 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n' : undefined,
    )
    await using edge = await startTestEdge({ upstreamPort: upstream.port })
    using http2 = await RawHttp2Visitor.connect(edge.tlsPort)
    http2.send(frame(frameTypes.headers, endHeaders, 1, headerBlock([...pseudo, ['cookie', 'a=1'], ['cookie', 'b=2']])))
    http2.send(frame(frameTypes.data, 0, 1, Buffer.from(smuggled)))
    http2.send(
      frame(
        frameTypes.headers,
        endHeaders | endStream,
        1,
        headerBlock([
          ['host', 'b'],
          ['x-forwarded-for', '1.1.1.1'],
          ['x-t', '1'],
        ]),
      ),
    )
    await http2.untilAnswered(1)
    expect(upstream.received()).toContain('\r\ncookie: a=1; b=2\r\n')
    expect(upstream.received().split('\r\n\r\n').slice(1).join('\r\n\r\n')).toBe(
      `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\nx-t: 1\r\n\r\n`,
    )
  })
})
