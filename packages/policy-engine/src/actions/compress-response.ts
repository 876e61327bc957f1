import { Type } from 'typebox'
import type { ContentCoding, ResponseMessage } from '../message/response-message.ts'
import { defineAction } from './action.ts'
import { negotiateCoding } from './content-coding.ts'

const bodyMinBytes = 1024
const compressible =
  /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]+\+)?(?:json|xml|javascript|wasm|manifest)|application\/(?:x-javascript|graphql|ld\+json)|image\/(?:svg\+xml|bmp)|font\/(?:ttf|otf))/

/** Order of preference among codings that the visitor likes equally. */
const preferred: readonly ContentCoding[] = ['br', 'gzip', 'deflate']

export const compressResponse = defineAction({
  type: 'compress-response',
  phases: ['response'],
  summary:
    'Compresses text-like responses on the fly with what the visitor accepts. Leaves alone what is encoded already, small, partial, or sent as events.',
  config: Type.Object(
    {
      algorithms: Type.Optional(
        Type.Array(Type.Enum(['gzip', 'deflate', 'br', 'compress']), {
          minItems: 1,
          uniqueItems: true,
          description: 'Codings to offer; all by default. `compress` is accepted and never used.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Compress pages',
      phase: 'response',
      config: { algorithms: ['br', 'gzip'] },
      sample: {
        headers: { 'Accept-Encoding': 'gzip, br;q=0.5' },
        response: { status_code: 200, headers: { 'Content-Type': 'text/html', 'Content-Length': '20000' } },
      },
    },
  ],
  onFailure: 'continue',
  compile({ algorithms }) {
    const offered = preferred.filter((coding) => algorithms === undefined || algorithms.includes(coding))
    return ({ request, response }) => {
      if (!request || !response || response.contentCoding || !isCompressible(request.facts.method, response))
        return undefined
      addVary(response)
      const coding = negotiateCoding(request.headers.all('accept-encoding'), offered)
      if (coding) encode(response, coding)
      return undefined
    }
  },
})

function isCompressible(method: string, { statusCode, headers }: ResponseMessage): boolean {
  if (method === 'HEAD' || statusCode < 200 || [204, 205, 206, 304].includes(statusCode)) return false
  if (headers.all('content-encoding').some((coding) => coding.toLowerCase() !== 'identity')) return false
  if (headers.all('cache-control').some((directives) => /\bno-transform\b/i.test(directives))) return false
  const length = headers.first('content-length')
  if (length !== undefined && Number(length) < bodyMinBytes) return false
  return compressible.test((headers.first('content-type') ?? '').trim().toLowerCase())
}

function addVary({ headers }: ResponseMessage): void {
  const varies = headers
    .all('vary')
    .join(',')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  if (!varies.includes('*') && !varies.includes('accept-encoding')) headers.append('vary', 'accept-encoding')
}

/** The encoded body is another representation: of unknown length, and equal to the original only in meaning. */
function encode(response: ResponseMessage, coding: ContentCoding): void {
  const { headers } = response
  const etag = headers.first('etag')
  headers.remove('content-length')
  headers.remove('accept-ranges')
  headers.set('content-encoding', coding)
  if (etag !== undefined && !etag.startsWith('W/')) headers.set('etag', `W/${etag}`)
  response.contentCoding = coding
}
