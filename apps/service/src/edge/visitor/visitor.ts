import type { Duplex } from 'node:stream'
import { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** Who is calling, as far as the connection tells. */
export interface Visitor {
  /** IPv4-mapped addresses are given as IPv4. */
  readonly ip: string
  /** `ip:port`, or `[ip]:port` for IPv6. */
  readonly address: string
  readonly isSecure: boolean
  /** The name in the TLS handshake (SNI), lower-case; undefined without one. */
  readonly serverName: string | undefined
  /** A resumed TLS 1.2 session: the name counted in its first handshake and is not told again. */
  readonly isNameUntold: boolean
  /** Requests of this connection that are not answered yet. */
  unanswered: number
}

const visitors = new WeakMap<Duplex, Visitor>()

/** The visitor at the other end of a connection; the same object for all its requests. */
export function visitorOf(connection: Duplex): Visitor {
  const known = visitors.get(connection)
  if (known !== undefined) return known
  const visitor = describe(connection)
  visitors.set(connection, visitor)
  return visitor
}

function describe(connection: Duplex): Visitor {
  const socket = connection instanceof Socket ? connection : undefined
  const ip = (socket?.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
  const port = socket?.remotePort ?? 0
  const serverName = connection instanceof TLSSocket ? serverNameOf(connection) : undefined
  const address = ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
  const isSecure = connection instanceof TLSSocket
  const isNameUntold = isSecure && serverName === undefined && connection.isSessionReused()
  return { ip, address, isSecure, serverName, isNameUntold, unanswered: 0 }
}

function serverNameOf(socket: TLSSocket): string | undefined {
  const { servername } = socket as { servername?: string | false | null }
  return typeof servername === 'string' && servername !== '' ? servername.toLowerCase().replace(/\.$/, '') : undefined
}
