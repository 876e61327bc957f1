import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { isCidr } from '@tunnel/policy-engine'

// What each kind of variable may hold. Every parser throws an `Error` whose message names the rule.

/** A host and port to listen on; port 0 means any free port. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

export function directory(text: string): string {
  return resolve(text)
}

export function listenAddress(text: string): ListenAddress {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (match === null || host === undefined || port > 65_535)
    throw new Error('must be host:port, such as 127.0.0.1:4300 or [::1]:4300 (port 0 to 65535)')
  return { host: host === '' ? '0.0.0.0' : host, port }
}

export function postgresUrl(text: string): string {
  if (!/^postgres(ql)?:$/.test(parseUrl(text).protocol)) throw new Error('must be a postgres:// URL')
  return text
}

export function httpUrl(text: string): string {
  if (!/^https?:$/.test(parseUrl(text).protocol)) throw new Error('must be an http:// or https:// URL')
  return text.replace(/\/+$/, '')
}

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null) throw new Error('must be an absolute URL')
  return url
}

export function domainName(text: string): string {
  const name = text.toLowerCase().replace(/\.$/, '')
  const labels = name.split('.')
  const isWellFormed = name.length <= 253 && labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label))
  if (!isWellFormed || labels.length < 2) throw new Error('must be a domain name of at least two labels')
  return name
}

export function portRange(text: string): { first: number; last: number } {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text)
  const [first, last] = [Number(match?.[1]), Number(match?.[2])]
  if (match === null || first < 1 || last > 65_535 || first > last)
    throw new Error('must be FIRST-LAST, within 1-65535')
  return { first, last }
}

export function ipAddresses(text: string): string[] {
  const addresses = text.split(',').map((part) => part.trim())
  const wrong = addresses.find((address) => isIP(address) === 0)
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an IP address (several are separated by commas)`)
  return addresses
}

export function addressBlocks(text: string): string[] {
  const blocks = text.split(',').map((part) => part.trim())
  const wrong = blocks.find((block) => !isCidr(block))
  if (wrong !== undefined)
    throw new Error(`"${wrong}" is not an IP address or a block such as 10.0.0.0/8 (several are separated by commas)`)
  return blocks
}

export function hostsAndBlocks(text: string): string[] {
  const hosts = text.split(',').map((part) => part.trim().toLowerCase())
  const wrong = hosts.find((host) => !isCidr(host) && !/^(?!-)[a-z0-9-]*[a-z][a-z0-9.-]*(?<![.-])$/.test(host))
  if (wrong !== undefined)
    throw new Error(
      `must be host names, addresses or blocks such as 10.0.0.0/8, separated by commas; "${wrong}" is none`,
    )
  return hosts
}

export function resolverAddresses(text: string): string[] {
  const addresses = text.split(',').map((part) => part.trim())
  const wrong = addresses.find((address) => !/^(?:[\d.]+(?::\d{1,5})?|\[[\da-f:]+\](?::\d{1,5})?)$/i.test(address))
  if (wrong !== undefined)
    throw new Error(`"${wrong}" is not ADDRESS, ADDRESS:PORT or [IPV6]:PORT (several are separated by commas)`)
  return addresses
}

export function contextCount(text: string): number {
  if (!/^\d{2,6}$/.test(text)) throw new Error('must be a number from 10 to 999999')
  return Number(text)
}

export function requestCount(text: string): number | null {
  if (text === 'off') return null
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error('must be off, or a number from 1 to 9999999')
  return Number(text)
}

export function word(text: string): string {
  if (!/^[!-~]{1,256}$/.test(text)) throw new Error('must be 1 to 256 visible ASCII characters')
  return text
}

export function regionName(text: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(text)) throw new Error('must be 1 to 32 of a-z, 0-9 and -, such as eu or lab-2')
  return text
}

export function emptyPrincipals(text: string): 'empty' | 'wildcard' {
  if (text !== 'empty' && text !== 'wildcard') throw new Error('must be empty or wildcard')
  return text
}

export function staticReach(text: string): 'public' | 'any' {
  if (text !== 'public' && text !== 'any') throw new Error('must be public or any')
  return text
}

export function emailAddress(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new Error('must be an e-mail address')
  return text
}
