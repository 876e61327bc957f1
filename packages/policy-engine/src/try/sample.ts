import { type Static, Type } from 'typebox'
import type { ExchangeFacts } from '../run/policy-exchange.ts'
import type { ResponseFacts } from '../message/response-message.ts'

const closed = { additionalProperties: false } as const
const Headers = Type.Record(
  Type.String({ maxLength: 256 }),
  Type.Union([Type.String({ maxLength: 65_536 }), Type.Array(Type.String({ maxLength: 65_536 }), { maxItems: 100 })]),
  {
    maxProperties: 200,
    description: 'Names and values; a list for a header that comes several times.',
  },
)

/** A made-up request to try a policy on, and the response that the upstream shall give. Wire form. */
export const PolicySample = Type.Object(
  {
    method: Type.Optional(Type.String({ pattern: '^[A-Z]{1,32}$', default: 'GET', examples: ['GET'] })),
    url: Type.Optional(
      Type.String({ pattern: '^https?://[^/?#\\s]+[^#\\s]*$', maxLength: 8192, default: 'https://app.example.com/' }),
    ),
    headers: Type.Optional(Headers),
    body: Type.Optional(Type.String({ maxLength: 262_144 })),
    client_ip: Type.Optional(Type.String({ maxLength: 64, default: '203.0.113.7' })),
    response: Type.Optional(
      Type.Object(
        {
          status_code: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, default: 200 })),
          headers: Type.Optional(Headers),
        },
        closed,
      ),
    ),
  },
  closed,
)
export type PolicySample = Static<typeof PolicySample>

/** The sample as a host would describe it. */
export function sampleFacts(sample: PolicySample, nowMs: number): ExchangeFacts {
  const {
    method = 'GET',
    url = 'https://app.example.com/',
    headers = {},
    body = '',
    client_ip: clientIp = '203.0.113.7',
  } = sample
  const {
    scheme = 'https',
    authority = '',
    target = '',
  } = /^(?<scheme>https?):\/\/(?<authority>[^/?#]*)(?<target>.*)$/.exec(url)?.groups ?? {}
  const protocol = scheme === 'http' ? 'http' : 'https'
  const [, host = authority, port] = /^(.*?)(?::(\d+))?$/.exec(authority) ?? []
  const serverPort = port === undefined ? (protocol === 'https' ? 443 : 80) : Number(port)
  const tls = {
    version: 'TLSv1.3',
    cipherSuite: 'TLS_AES_128_GCM_SHA256',
    sni: host,
    negotiatedAlpn: 'http/1.1',
    isSessionResumed: false,
  }
  const bytes = Buffer.from(body)
  return {
    connection: {
      clientIp,
      clientPort: 50_000,
      serverIp: '198.51.100.1',
      serverPort,
      serverRegion: 'local',
      startedAtMs: nowMs,
      ...(protocol === 'https' && { tls }),
    },
    endpoint: { id: 'ep_sample', url: `${protocol}://${authority}`, protocol, host, port: serverPort },
    request: {
      method,
      scheme: protocol,
      authority,
      target: target.startsWith('/') ? target : `/${target}`,
      httpVersion: '1.1',
      rawHeaders: [
        'host',
        authority,
        ...rawHeaders(headers),
        ...(bytes.length > 0 ? ['content-length', String(bytes.length)] : []),
      ],
      receivedAtMs: nowMs,
      readBody: (maxBytes) =>
        bytes.length > maxBytes ? Promise.reject(new Error('the body is too long')) : Promise.resolve(bytes),
    },
  }
}

export function sampleResponse({ response = {} }: PolicySample): ResponseFacts {
  return { statusCode: response.status_code ?? 200, rawHeaders: rawHeaders(response.headers ?? {}) }
}

function rawHeaders(headers: Static<typeof Headers>): string[] {
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value]))
}
