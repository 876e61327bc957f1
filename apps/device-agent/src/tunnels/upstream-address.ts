import { isIP } from 'node:net'
import { isLinkLocal, isLocalhostName, isLoopbackIp } from '../network/ip-ranges.ts'

/** Where the agent sends the bytes of a tunnel: one program that listens near it. */
export interface UpstreamAddress {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

export interface ForbiddenUpstreams {
  /** The port of the agent's own API, which would make a loop and hand out control of the device. */
  readonly ownPort: number
}

/**
 * Reads `forwards_to`: `8001`, `:8001`, `host:8001`, `[::1]:8001`, or `http://…` and `https://…` with or without a port.
 * @throws Error with the rule that is broken, to be put behind the field's name
 */
export function parseUpstreamAddress(text: string): UpstreamAddress {
  const { scheme, authority } = splitScheme(text.trim())
  const { host, portText } = splitAuthority(authority, scheme)
  if (!isHostName(host)) throw new Error(`has the host "${host}", which is not a name or an address`)
  const port = Number(portText)
  if (port < 1 || port > 65_535) throw new Error('must have a port from 1 to 65535')
  return { host, port, isTls: scheme === 'https' }
}

/** @throws Error when a tunnel must not lead to this address */
export function refuseForbidden({ host, port }: UpstreamAddress, { ownPort }: ForbiddenUpstreams): void {
  if (isLinkLocal(host)) throw new Error('must not be a link-local address: machines keep their credentials there')
  const isThisMachine = isLocalhostName(host) || isLoopbackIp(host)
  if (port === ownPort && isThisMachine) throw new Error('must not be the address of the agent itself')
}

function splitScheme(text: string): { scheme: 'http' | 'https' | null; authority: string } {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text) ?? []
  if (scheme === undefined || rest === undefined) return { scheme: null, authority: text }
  const lower = scheme.toLowerCase()
  if (lower !== 'http' && lower !== 'https') throw new Error('may begin with http:// or https:// only')
  return { scheme: lower, authority: rest.replace(/\/$/, '') }
}

function splitAuthority(authority: string, scheme: 'http' | 'https' | null): { host: string; portText: string } {
  if (/^\d+$/.test(authority)) return { host: 'localhost', portText: authority }
  const [, bracketed, name, port] = /^(?:\[([^\]]*)\]|([^:[\]/?#@]*))(?::(\d{1,5}))?$/.exec(authority) ?? []
  const defaultPort = { http: '80', https: '443' }
  const portText = port ?? (scheme && (bracketed ?? name) && defaultPort[scheme])
  if (bracketed === undefined && name === undefined) throw new Error('must be <host>:<port>, such as localhost:8001')
  if (!portText) throw new Error('needs a port: <host>:<port>, such as localhost:8001')
  if (bracketed !== undefined && isIP(bracketed) !== 6) throw new Error('has brackets around what is no IPv6 address')
  return { host: (bracketed ?? name ?? '').toLowerCase() || 'localhost', portText }
}

function isHostName(host: string): boolean {
  if (isIP(host) !== 0) return true
  // All digits and dots would be read as a shortened IPv4 address by some resolvers (127.1, 2130706433).
  return (
    host.length <= 253 &&
    /^(?!-)[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/.test(host) &&
    !/^[\d.]+$/.test(host) &&
    !host.startsWith('0x')
  )
}
