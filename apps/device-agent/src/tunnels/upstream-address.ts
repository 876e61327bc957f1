import { isIP } from 'node:net'
import { isLinkLocal, isLocalhostName, isLoopbackIp } from '../network/ip-ranges.ts'

/** Where the agent sends the bytes of a tunnel: one program that listens near it. */
export interface UpstreamAddress {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** The program speaks HTTP/2 from the first byte on; with TLS, as agreed in its handshake. */
  readonly isHttp2: boolean
}

export interface ForbiddenUpstreams {
  /** The port of the agent's own API, which would make a loop and hand out control of the device. */
  readonly ownPort: number
}

/**
 * Reads `forwards_to`: `8001`, `:8001`, `host:8001`, `[::1]:8001`, or `http://…`, `https://…`, `h2c://…`, `h2://…`
 * with or without a port. The last two are HTTP/2, in the clear and over TLS.
 * @throws Error with the rule that is broken, to be put behind the field's name
 */
export function parseUpstreamAddress(text: string): UpstreamAddress {
  const { scheme, authority } = splitScheme(text.trim())
  const { host, portText } = splitAuthority(authority, scheme)
  if (!isHostName(host)) throw new Error(`has the host "${host}", which is not a name or an address`)
  const port = Number(portText)
  if (port < 1 || port > 65_535) throw new Error('must have a port from 1 to 65535')
  const { isTls, isHttp2 } = schemes[scheme ?? 'http']
  return { host, port, isTls, isHttp2 }
}

/** @throws Error when a tunnel must not lead to this address */
export function refuseForbidden({ host, port }: UpstreamAddress, { ownPort }: ForbiddenUpstreams): void {
  if (isLinkLocal(host)) throw new Error('must not be a link-local address: machines keep their credentials there')
  const isThisMachine = isLocalhostName(host) || isLoopbackIp(host)
  if (port === ownPort && isThisMachine) throw new Error('must not be the address of the agent itself')
}

const schemes = {
  http: { isTls: false, isHttp2: false, defaultPort: '80' },
  https: { isTls: true, isHttp2: false, defaultPort: '443' },
  h2c: { isTls: false, isHttp2: true, defaultPort: '80' },
  h2: { isTls: true, isHttp2: true, defaultPort: '443' },
} as const
type Scheme = keyof typeof schemes

function isScheme(text: string): text is Scheme {
  return Object.hasOwn(schemes, text)
}

function splitScheme(text: string): { scheme: Scheme | null; authority: string } {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text) ?? []
  if (scheme === undefined || rest === undefined) return { scheme: null, authority: text }
  const lower = scheme.toLowerCase()
  if (!isScheme(lower)) throw new Error('may begin with http://, https://, h2c:// or h2:// only')
  return { scheme: lower, authority: rest.replace(/\/$/, '') }
}

function splitAuthority(authority: string, scheme: Scheme | null): { host: string; portText: string } {
  if (/^\d+$/.test(authority)) return { host: 'localhost', portText: authority }
  const [, bracketed, name, port] = /^(?:\[([^\]]*)\]|([^:[\]/?#@]*))(?::(\d{1,5}))?$/.exec(authority) ?? []
  const portText = port ?? (scheme && (bracketed ?? name) && schemes[scheme].defaultPort)
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
