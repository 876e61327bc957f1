import { isIP } from 'node:net'
import { isLocalhostName, isLoopbackIp } from './network/ip-ranges.ts'
import type { ProxyConfig } from './network/proxy.ts'
import { Secret } from './secret.ts'

// What each kind of variable may hold. Every parser throws an `Error` whose message names the rule.

/** A host and port to listen on; port 0 means any free port. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

const metadataMaxBytes = 4096

export function parseConnectUrl(text: string): string {
  const url = parseUrl(text, ['wss:', 'ws:'])
  if (url.username || url.password) throw new Error('must not contain a user or password')
  if (url.protocol === 'ws:' && !isLoopbackName(url.hostname)) {
    throw new Error('may use ws:// only for a loopback address; use wss://, or the authtoken would travel in the clear')
  }
  return url.href
}

export function parseApiUrl(text: string): string {
  const url = parseUrl(text, ['https:', 'http:'])
  if (url.username || url.password) throw new Error('must not contain a user or password')
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname)) {
    throw new Error(
      'may use http:// only for a loopback address; use https://, or the API key would travel in the clear',
    )
  }
  return url.href.replace(/\/+$/, '')
}

function parseUrl(text: string, protocols: readonly string[]): URL {
  if (!URL.canParse(text)) throw new Error('is not a URL')
  const url = new URL(text)
  if (!protocols.includes(url.protocol)) throw new Error(`must begin with ${protocols.join('// or ')}//`)
  return url
}

function isLoopbackName(host: string): boolean {
  return isLocalhostName(host) || isLoopbackIp(host.replace(/^\[|\]$/g, ''))
}

export function parseDomain(text: string): string | null {
  if (text === '') return null
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
  const domain = text.toLowerCase()
  if (domain.length > 253 || !new RegExp(`^${label}(\\.${label})+$`).test(domain)) {
    throw new Error('must be a full host name such as agent.example.com')
  }
  return domain
}

export function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain ?? ''
  const port = Number(digits)
  if ((host !== 'localhost' && isIP(host) === 0) || port > 65_535) {
    throw new Error('must be <address>:<port>, such as 127.0.0.1:4301 or [::1]:4301')
  }
  return { host, port }
}

export function parseMetadata(text: string): string {
  if (Buffer.byteLength(text) > metadataMaxBytes) throw new Error(`must have at most ${metadataMaxBytes} bytes`)
  return text
}

export function parseSwitch(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error('must be true or false')
  return text === 'true'
}

export function parseProxy(text: string, noProxy: string): ProxyConfig | null {
  if (text === '') return null
  parseUrl(text, ['http:', 'https:'])
  return { url: new Secret(text), noProxy: noProxy.split(/[\s,]+/).filter(Boolean) }
}
