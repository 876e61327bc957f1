import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isLinkLocal, isLocalhostName, isLoopbackIp, isPrivateIp } from '../network/ip-ranges.ts'
import { lookup } from '../network/lookup.ts'
import { readsOf } from './upstream-reads.ts'

/** Where a stream leads. */
export interface Upstream {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  readonly isHttp2: boolean
}

/**
 * Begins a connection. `readyEvent` of the socket tells when bytes can flow; writing before is fine. `onRead` gets what it says, there
 * are no `data` events.
 */
export function connectUpstream(
  upstream: Upstream,
  onRead: (chunk: Buffer) => void = () => undefined,
): { readonly socket: Socket; readonly readyEvent: string } {
  const { host, port, isTls, isHttp2 } = upstream
  const options = { host, port, lookup: guardedLookup, allowHalfOpen: true, noDelay: true, onread: readsOf(onRead) }
  if (!isTls) return { socket: connectTcp(options), readyEvent: 'connect' }
  const socket = connectTls({
    ...options,
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: [isHttp2 ? 'h2' : 'http/1.1'],
    rejectUnauthorized: !isNearby(host),
  })
  return { socket, readyEvent: 'secureConnect' }
}

/**
 * Programs on the device and in its own network hardly ever have a certificate that anybody signs; for them TLS
 * is spoken without checking who answers. Every other name is verified.
 */
export function isNearby(host: string): boolean {
  if (isIP(host) !== 0) return isLoopbackIp(host) || isPrivateIp(host)
  return isLocalhostName(host) || !host.includes('.') || host.endsWith('.local') || host.endsWith('.home.arpa')
}

/** A harmless name must not lead to a forbidden address either. */
const guardedLookup: LookupFunction = (host, options, callback) =>
  lookup(host, options, (error, found, family) => {
    const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
    const forbidden = addresses.some((address) => isLinkLocal(address))
    if (forbidden) callback(Object.assign(new Error('link-local address'), { code: 'EACCES' }), '', 0)
    else callback(error, found, family)
  })
