import { lookup as resolve } from 'node:dns'
import { type LookupFunction, type Socket, connect, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ServiceError } from '@tunnel/models'
import { isPublicAddress } from '@tunnel/policy-engine'
import type { EdgeTunnel } from '../edge/edge-tunnel.ts'
import { SocketStream } from './socket-stream.ts'

/** Where static backends may lead: what is private belongs to the operator's network, not to the account. */
export type StaticReach = 'public' | 'any'

interface StaticTarget {
  readonly id: string
  readonly accountId: string
  /** `host:port`. */
  readonly address: string
  readonly isTls: boolean
}

/** A server that the service itself reaches, in the place of a tunnel. */
export function staticUpstream({ id, accountId, address, isTls }: StaticTarget, reach: StaticReach): EdgeTunnel {
  const [, bracketed = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? []
  const host = bracketed.replace(/^\[(.*)\]$/, '$1')
  const dial = (): Socket => {
    const target = { host, port: Number(port), ...(reach === 'public' && { lookup: lookupPublic }) }
    if (!isTls) return connect({ ...target, allowHalfOpen: true, noDelay: true })
    return connectTls({ ...target, ...(isIP(host) === 0 && { servername: host }), ALPNProtocols: ['http/1.1'] })
  }
  return {
    id,
    accountId,
    url: '',
    protocol: isTls ? 'https' : 'http',
    forwardsTo: address,
    policy: null,
    upstreamProtocol: 'http1',
    openStream: (header) => {
      // An address as it stands is never looked up.
      if (reach === 'public' && isIP(host) !== 0 && !isPublicAddress(host))
        throw new ServiceError('upstream_unreachable', { address, cause: 'the address is not a public one' })
      return new SocketStream({ bindId: id, ...header }, dial, isTls ? 'secureConnect' : 'connect')
    },
  }
}

/** Judges what a name resolves to at the very connection, so that no later answer can lead elsewhere. */
const lookupPublic: LookupFunction = (hostname, options, done) => {
  resolve(hostname, { ...options, all: true }, (error, found) => {
    const allowed = error === null ? found.filter(({ address }) => isPublicAddress(address)) : []
    const [first] = allowed
    if (error !== null) done(error, '')
    else if (first === undefined) done(notPublic(hostname), '')
    else if (options.all === true) done(null, allowed)
    else done(null, first.address, first.family)
  })
}

function notPublic(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no public address`), { code: 'EHOSTUNREACH' })
}
