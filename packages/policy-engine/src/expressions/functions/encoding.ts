import {
  CelScalar,
  type CelInput,
  type CelValue,
  celFunc,
  celMethod,
  isCelList,
  isCelMap,
  mapType,
} from '@bufbuild/cel'
import { parseQuery } from '../../message/url-text.ts'
import { fromJson, renderText, toJsonText } from '../json-values.ts'

const { STRING, BYTES, BOOL, DYN } = CelScalar

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function fromBase64(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw new Error('not base64')
  return Buffer.from(text, 'base64')
}

function isParsable(parse: () => unknown): boolean {
  try {
    parse()
    return true
  } catch {
    return false
  }
}

function urlParts(text: string): CelInput {
  const url = new URL(text)
  return new Map<string, CelInput>([
    ['scheme', url.protocol.slice(0, -1)],
    ['authority', url.host],
    ['host', url.hostname],
    ['port', url.port],
    ['path', url.pathname],
    ['query', url.search.slice(1)],
    ['fragment', url.hash.slice(1)],
  ])
}

function encodeQuery(map: CelValue): string {
  if (!isCelMap(map)) throw new Error('a query string is made from a map')
  const pairs = [...map].flatMap(([key, value]) =>
    (isCelList(value) ? [...value] : [value]).map((item) => [key, item] as const),
  )
  return pairs
    .map(([key, value]) => `${encodeURIComponent(renderText(key))}=${encodeURIComponent(renderText(value))}`)
    .join('&')
}

/** One value stands for itself, several as a list. */
function decodeQuery(text: string): CelInput {
  const pairs = [...parseQuery(text)].map(
    ([key, values]) => [key, values.length === 1 ? (values[0] ?? '') : values] as const,
  )
  return new Map<string, CelInput>(pairs)
}

export const encodingFunctions = [
  celFunc('base64.encode', [BYTES], STRING, base64),
  celFunc('base64.encode', [STRING], STRING, (text) => base64(Buffer.from(text))),
  celMethod('encodeBase64', STRING, [], STRING, function () {
    return base64(Buffer.from(this))
  }),
  celFunc('base64.decode', [STRING], BYTES, fromBase64),
  celMethod('decodeBase64', STRING, [], STRING, function () {
    return Buffer.from(fromBase64(this)).toString()
  }),
  celFunc(
    'basic_auth.encode',
    [STRING, STRING],
    STRING,
    (user, password) => `Basic ${base64(Buffer.from(`${user}:${password}`))}`,
  ),
  celFunc('url.escape', [STRING], STRING, encodeURIComponent),
  celMethod('escapeUrl', STRING, [], STRING, function () {
    return encodeURIComponent(this)
  }),
  celFunc('url.unescape', [STRING], STRING, decodeURIComponent),
  celMethod('unescapeUrl', STRING, [], STRING, function () {
    return decodeURIComponent(this)
  }),
  celFunc('url.parse', [STRING], mapType(STRING, STRING), (text) => urlParts(text) as Map<string, string>),
  celMethod('parseUrl', STRING, [], mapType(STRING, STRING), function () {
    return urlParts(this) as Map<string, string>
  }),
  celMethod('isURL', STRING, [], BOOL, function () {
    return URL.canParse(this)
  }),
  celFunc('queryString.encode', [DYN], STRING, encodeQuery),
  celMethod('encodeQueryString', mapType(DYN, DYN), [], STRING, function () {
    return encodeQuery(this)
  }),
  celFunc('queryString.decode', [STRING], DYN, decodeQuery),
  celMethod('decodeQueryString', STRING, [], DYN, function () {
    return decodeQuery(this)
  }),
  celMethod('isQueryString', STRING, [], BOOL, function () {
    return isParsable(() => decodeURIComponent(this.replaceAll('+', ' '))) && this.includes('=')
  }),
  celFunc('json.encode', [DYN], STRING, toJsonText),
  celMethod('encodeJson', DYN, [], STRING, function () {
    return toJsonText(this)
  }),
  celFunc('json.decode', [STRING], DYN, (text) => fromJson(JSON.parse(text))),
  celMethod('decodeJson', STRING, [], DYN, function () {
    return fromJson(JSON.parse(this))
  }),
  celMethod('isJson', STRING, [], BOOL, function () {
    return isParsable(() => JSON.parse(this))
  }),
]
