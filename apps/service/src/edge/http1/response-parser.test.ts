import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ResponseSyntaxError } from './response-head.ts'
import { ResponseParser } from './response-parser.ts'

const bounds = { headMaxBytes: 4_096, headersMaxCount: 50, interimMaxCount: 4 }

interface Seen {
  status: number
  headers: string[]
  body: string
  trailers: readonly string[]
  isComplete: boolean
  isReusable: boolean
}

/** Feeds `bytes` in pieces that end at `cuts`; `mayEnd` says the connection ends after them. */
function parse(bytes: Buffer, cuts: readonly number[], mayEnd = false, isHead = false): Seen {
  const seen: Seen = { status: 0, headers: [], body: '', trailers: [], isComplete: false, isReusable: false }
  const parser = new ResponseParser(bounds, {
    onInterim: () => undefined,
    onHead: (head) => Object.assign(seen, { status: head.status, headers: head.headers }),
    onBody: (chunk) => (seen.body += chunk.toString('latin1')),
    onComplete: (trailers) => Object.assign(seen, { trailers, isComplete: true }),
    onUpgrade: () => undefined,
  })
  parser.expect({ isHead, mayUpgrade: false })
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  let start = 0
  for (const end of ends) {
    parser.push(bytes.subarray(start, end))
    start = end
  }
  if (mayEnd) parser.finish()
  seen.isReusable = parser.isReusable
  return seen
}

const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/).map((name) => `X-${name}`)
const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/)
const headers = fc.array(fc.tuple(token, value), { maxLength: 8 })
const bodyPieces = fc.array(
  fc.stringMatching(/^[^]{1,40}$/).map((text) => Buffer.from(text, 'latin1').toString('latin1')),
  { maxLength: 6 },
)
const cuts = fc.array(fc.nat(), { maxLength: 20 })

function thrownBy(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

function lines(fields: readonly (readonly [string, string])[]): string {
  return fields.map(([name, text]) => `${name}: ${text}\r\n`).join('')
}

describe('the response parser', () => {
  it('reads the same message however it is cut, for every framing', () => {
    fc.assert(
      fc.property(
        headers,
        bodyPieces,
        headers,
        cuts,
        fc.constantFrom('length', 'chunked', 'close'),
        (fields, pieces, trailers, where, framing) => {
          const body = pieces.join('')
          const framed = {
            length: `Content-Length: ${body.length}\r\n\r\n${body}`,
            chunked: `Transfer-Encoding: chunked\r\n\r\n${pieces.map((piece) => `${piece.length.toString(16)};x=y\r\n${piece}\r\n`).join('')}0\r\n${lines(trailers)}\r\n`,
            close: `\r\n${body}`,
          }[framing]
          const bytes = Buffer.from(
            `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Fine\r\n${lines(fields)}${framed}`,
            'latin1',
          )
          const seen = parse(bytes, where, framing === 'close')
          expect(seen).toMatchObject({ status: 200, body, isComplete: true, isReusable: framing !== 'close' })
          expect(seen.trailers).toEqual(framing === 'chunked' ? trailers.flat() : [])
          expect(seen.headers.filter((name) => name !== 'Content-Length').slice(0, 2 * fields.length)).toEqual(
            fields.flat(),
          )
        },
      ),
    )
  })

  it('never throws anything but a syntax error, and holds no more than its bounds', () => {
    const noise = fc.array(
      fc.constantFrom(
        'HTTP/1.1 200 OK',
        '\r\n',
        '\r',
        '\n',
        'Content-Length: 3',
        'Transfer-Encoding: chunked',
        ':',
        ' ',
        '0',
        'f',
        'abc',
        '\0',
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(noise, cuts, fc.boolean(), (words, where, mayEnd) => {
        expect(thrownBy(() => parse(Buffer.from(words.join('')), where, mayEnd))).toBeOneOf([
          undefined,
          expect.any(ResponseSyntaxError),
        ])
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([204, 304])('a %i has no body, whatever its headers say', (status) => {
    const bytes = Buffer.from(`HTTP/1.1 ${status} None\r\nContent-Length: 5\r\n\r\n`)
    expect(parse(bytes, [])).toMatchObject({ status, body: '', isComplete: true, isReusable: true })
  })

  it('an answer to HEAD has no body', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n')
    expect(parse(bytes, [], false, true)).toMatchObject({ isComplete: true, isReusable: true })
  })

  it.each([
    ['bytes after the end', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab'],
    ['Connection: close', 'HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\na'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na'],
  ])('%s ends the connection after this response', (_name, text) => {
    expect(parse(Buffer.from(text), [])).toMatchObject({ body: 'a', isComplete: true, isReusable: false })
  })

  it.each([
    ['a length that is cut short', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'],
    ['chunks that are cut short', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n'],
    ['a head that is cut short', 'HTTP/1.1 200 OK\r\nA: b'],
    ['a chunk size without digits', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n;a\r\n\r\n'],
    ['a chunk size beyond exact numbers', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20000000000000\r\n'],
    ['a chunk line without end', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(2_000)}`],
    ['too many headers', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(51)}\r\n`],
    [
      'trailers without end',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'A: b\r\n'.repeat(1_000)}\r\n`,
    ],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\nA : b\r\n\r\n'],
    ['a control character', 'HTTP/1.1 200 OK\r\nA: b\x01\r\n\r\n'],
    ['HTTP/2.0', 'HTTP/2.0 200 OK\r\n\r\n'],
  ])('%s is refused', (_name, text) => {
    expect(() => parse(Buffer.from(text, 'latin1'), [], true)).toThrow(ResponseSyntaxError)
  })
})
