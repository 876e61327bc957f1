import type { CelInput, CelType } from '@bufbuild/cel'
import { CelScalar, celMap, listType, mapType } from '@bufbuild/cel'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { TIMESTAMP } from './cel-types.ts'
import type { Cookie } from '../message/cookies.ts'
import type { HeaderFields } from '../message/header-fields.ts'
import type { RequestMessage } from '../message/request-message.ts'
import type { ResponseMessage } from '../message/response-message.ts'
import type { Exchange, Phase } from './exchange.ts'

/** A name that expressions can use. `read` gives undefined where the exchange has no such thing. */
export interface Variable {
  readonly type: CelType
  readonly phases: readonly Phase[]
  /** Lower-case keys: lookups fold the case of theirs. */
  readonly hasFoldedKeys?: boolean
  /** Filled by the visitor, so a fixed key may be missing. */
  readonly isVisitorMap?: boolean
  readonly read: (exchange: Exchange) => CelInput | undefined
}

const { STRING, INT, BOOL, DYN } = CelScalar
const STRINGS = listType(STRING)
const MULTI_MAP = mapType(STRING, STRINGS)
const COOKIES = mapType(STRING, listType(mapType(STRING, DYN)))

const everywhere: readonly Phase[] = ['connect', 'request', 'response']
const http: readonly Phase[] = ['request', 'response']

type Read = Variable['read']
const always = (type: CelType, read: Read): Variable => ({ type, phases: everywhere, read })
const onRequest = (type: CelType, read: (request: RequestMessage) => CelInput | undefined): Variable => ({
  type,
  phases: http,
  read: ({ request }) => request && read(request),
})
const onResponse = (type: CelType, read: (response: ResponseMessage) => CelInput | undefined): Variable => ({
  type,
  phases: ['response'],
  read: ({ response }) => response && read(response),
})
const visitorMap = (variable: Variable): Variable => ({ ...variable, isVisitorMap: true })
const foldedMap = (variable: Variable): Variable => ({ ...variable, isVisitorMap: true, hasFoldedKeys: true })

/** All variables by their full dotted name. */
export const variables: ReadonlyMap<string, Variable> = new Map(
  Object.entries({
    'conn.client_ip': always(STRING, ({ connection }) => connection.clientIp),
    'conn.client_port': always(INT, ({ connection }) => BigInt(connection.clientPort)),
    'conn.server_ip': always(STRING, ({ connection }) => connection.serverIp),
    'conn.server_port': always(INT, ({ connection }) => BigInt(connection.serverPort)),
    'conn.server_region': always(STRING, ({ connection }) => connection.serverRegion),
    'conn.ts.start': always(TIMESTAMP, ({ connection }) => timestampFromMs(connection.startedAtMs)),
    'conn.tls.version': always(STRING, ({ connection }) => connection.tls?.version),
    'conn.tls.cipher_suite': always(STRING, ({ connection }) => connection.tls?.cipherSuite),
    'conn.tls.sni': always(STRING, ({ connection }) => connection.tls?.sni),
    'conn.tls.negotiated_alpn': always(STRING, ({ connection }) => connection.tls?.negotiatedAlpn),
    'conn.tls.session_resumed': always(BOOL, ({ connection }) => connection.tls?.isSessionResumed),
    'endpoint.id': always(STRING, ({ endpoint }) => endpoint.id),
    'endpoint.url': always(STRING, ({ endpoint }) => endpoint.url),
    'endpoint.addr': always(STRING, ({ endpoint }) => `${endpoint.host}:${endpoint.port}`),
    'endpoint.host': always(STRING, ({ endpoint }) => endpoint.host),
    'endpoint.port': always(INT, ({ endpoint }) => BigInt(endpoint.port)),
    'endpoint.protocol': always(STRING, ({ endpoint }) => endpoint.protocol),
    'time.now': always(STRING, (exchange) => new Date(exchange.now()).toISOString()),
    vars: always(mapType(STRING, DYN), ({ vars }) => celMap(vars)),
    'actions.service': always(mapType(STRING, DYN), ({ results }) => celMap(results)),

    'req.method': onRequest(STRING, (request) => request.facts.method),
    'req.host': onRequest(STRING, (request) => request.headers.first('host') ?? request.facts.authority),
    'req.version': onRequest(STRING, (request) => `HTTP/${request.facts.httpVersion}`),
    'req.location': onRequest(STRING, (request) => request.headers.first('location')),
    'req.url': onRequest(STRING, (request) => request.url),
    'req.url.scheme': onRequest(STRING, (request) => request.parts.scheme),
    'req.url.authority': onRequest(STRING, (request) => request.parts.authority),
    'req.url.host': onRequest(STRING, (request) => request.parts.host),
    'req.url.port': onRequest(INT, ({ parts }) => (parts.port === undefined ? undefined : BigInt(parts.port))),
    'req.url.path': onRequest(STRING, (request) => request.parts.path),
    'req.url.query': onRequest(STRING, (request) => request.parts.query),
    'req.url.uri': onRequest(STRING, ({ parts }) => (parts.query === '' ? parts.path : `${parts.path}?${parts.query}`)),
    'req.url.raw': onRequest(STRING, (request) => request.originalUrl),
    'req.url.raw_path': onRequest(STRING, (request) => request.facts.target.replace(/\?.*$/s, '')),
    'req.url.user_password': onRequest(STRING, (request) => request.parts.userPassword),
    'req.url.query_params': visitorMap(onRequest(MULTI_MAP, (request) => celMap(request.queryParameters))),
    'req.headers': foldedMap(onRequest(MULTI_MAP, (request) => celMap(request.headers.byName))),
    'req.cookies': visitorMap(onRequest(COOKIES, (request) => cookieMap(request.cookies))),
    'req.user_agent': onRequest(STRING, (request) => request.headers.first('user-agent') ?? ''),
    'req.content_length': onRequest(INT, ({ headers }) => contentLength(headers)),
    'req.content_encoding': onRequest(STRINGS, ({ headers }) => contentCodings(headers)),
    'req.content_type': onRequest(STRING, ({ headers }) => mediaType(headers)),
    'req.content_type.raw': onRequest(STRING, ({ headers }) => headers.first('content-type') ?? ''),
    'req.content_type.parameters': onRequest(mapType(STRING, STRING), ({ headers }) => mediaTypeParameters(headers)),
    'req.ts.header_received': onRequest(TIMESTAMP, (request) => timestampFromMs(request.facts.receivedAtMs)),

    'res.status_code': onResponse(INT, (response) => BigInt(response.statusCode)),
    'res.headers': foldedMap(onResponse(MULTI_MAP, (response) => celMap(response.headers.byName))),
    'res.cookies': visitorMap(onResponse(COOKIES, (response) => cookieMap(response.cookies))),
    'res.location': onResponse(STRING, (response) => response.headers.first('location')),
    'res.content_length': onResponse(INT, ({ headers }) => contentLength(headers)),
    'res.content_encoding': onResponse(STRINGS, ({ headers }) => contentCodings(headers)),
    'res.content_type': onResponse(STRING, ({ headers }) => mediaType(headers)),
    'res.content_type.raw': onResponse(STRING, ({ headers }) => headers.first('content-type') ?? ''),
    'res.content_type.parameters': onResponse(mapType(STRING, STRING), ({ headers }) => mediaTypeParameters(headers)),
  } satisfies Record<string, Variable>),
)

/** Documented elsewhere, but nothing in this server can fill them: a rule on them would silently never match. */
export const unavailablePrefixes: readonly string[] = [
  'conn.geo',
  'conn.k8s',
  'conn.bytes_in',
  'conn.bytes_out',
  'conn.ts.end',
  'conn.tls.client',
  'conn.tls.server',
  'conn.tls.ja4_fingerprint',
  'conn.client_ip',
  'conn.server_ip',
  'req.user_agent',
  'req.trailers',
  'res.trailers',
  'req.ts.body_received',
]

/** Names of the first documented form of the language, and what they are called now. */
export const legacyNames: ReadonlyMap<string, string> = new Map([
  ['req.Method', 'req.method'],
  ['req.Host', 'req.host'],
  ['req.URL', 'req.url'],
  ['req.URLPath', 'req.url.path'],
  ['req.Params', 'req.url.query_params'],
  ['req.Headers', 'req.headers'],
  ['req.Cookies', 'req.cookies'],
  ['req.ContentLength', 'req.content_length'],
  ['req.ContentType', 'req.content_type'],
  ['req.UserAgent', 'req.user_agent'],
  ['req.Version', 'req.version'],
  ['res.StatusCode', 'res.status_code'],
  ['res.Headers', 'res.headers'],
  ['res.Cookies', 'res.cookies'],
  ['res.Location', 'res.location'],
  ['res.ContentLength', 'res.content_length'],
  ['conn.ClientIP', 'conn.client_ip'],
  ['conn.ClientPort', 'conn.client_port'],
  ['conn.ServerIP', 'conn.server_ip'],
  ['conn.ServerPort', 'conn.server_port'],
  ['conn.TLS.SNI', 'conn.tls.sni'],
  ['conn.TLS.Version', 'conn.tls.version'],
  ['conn.TLS.CipherSuite', 'conn.tls.cipher_suite'],
  ['actions.ngrok', 'actions.service'],
])

function cookieMap(cookies: ReadonlyMap<string, readonly Cookie[]>): CelInput {
  const entries = [...cookies].map(([name, list]) => [name, list.map(cookieFields)] as const)
  return celMap(new Map(entries))
}

function cookieFields(cookie: Cookie): CelInput {
  const { attributes } = cookie
  const fields = new Map<string, CelInput>([
    ['name', cookie.name],
    ['value', cookie.value],
    ['secure', attributes.has('secure')],
    ['http_only', attributes.has('httponly')],
  ])
  for (const [field, attribute] of [
    ['path', 'path'],
    ['domain', 'domain'],
    ['expires', 'expires'],
    ['same_site', 'samesite'],
  ] as const) {
    fields.set(field, attributes.get(attribute) ?? '')
  }
  return celMap(fields)
}

function contentLength(headers: HeaderFields): bigint | undefined {
  const text = headers.first('content-length')
  return text !== undefined && /^\d{1,15}$/.test(text) ? BigInt(text) : undefined
}

function contentCodings(headers: HeaderFields): string[] {
  const listed = headers.all('content-encoding').join(',').split(',')
  return listed.map((coding) => coding.trim().toLowerCase()).filter((coding) => coding !== '')
}

function mediaType(headers: HeaderFields): string {
  return (headers.first('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

function mediaTypeParameters(headers: HeaderFields): CelInput {
  const [, ...parameters] = (headers.first('content-type') ?? '').split(';')
  const pairs = parameters.map((parameter) => parameter.split('='))
  return celMap(
    new Map(
      pairs.map(([name = '', ...value]) => [
        name.trim().toLowerCase(),
        value
          .join('=')
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      ]),
    ),
  )
}
