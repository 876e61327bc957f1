import type { Duplex } from 'node:stream'
import { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { type ClientProof, clientProofOf } from '../client-proof.ts'

/** Who is calling, as far as the connection tells. */
export interface Visitor {
  /** IPv4-mapped addresses are given as IPv4, and link-local ones without their zone. */
  readonly ip: string
  readonly port: number
  /** `ip:port`, or `[ip]:port` for IPv6. */
  readonly address: string
  /** Our end of the connection. */
  readonly server: { readonly ip: string; readonly port: number }
  readonly connectedAtMs: number
  readonly isSecure: boolean
  readonly tls: TlsFacts | undefined
  /** The name in the TLS handshake (SNI), lower-case; undefined without one. */
  readonly serverName: string | undefined
  /** Undefined: no certificate of the visitor was asked for. */
  readonly clientProof: ClientProof | undefined
  /** Requests of this connection that are not answered yet. */
  unanswered: number
}

/** What the TLS handshake settled. */
interface TlsFacts {
  /** `TLSv1.3` and the like. */
  readonly version: string
  readonly cipherSuite: string
  readonly sni: string
  readonly negotiatedAlpn: string
  readonly isSessionResumed: boolean
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
  const ip = plainAddress(socket?.remoteAddress)
  const port = socket?.remotePort ?? 0
  const serverName = connection instanceof TLSSocket ? serverNameOf(connection) : undefined
  const address = ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
  const tls = connection instanceof TLSSocket ? tlsFacts(connection) : undefined
  const server = { ip: plainAddress(socket?.localAddress), port: socket?.localPort ?? 0 }
  const isSecure = tls !== undefined
  const connectedAtMs = Date.now()
  const clientProof = clientProofOf(connection)
  return { ip, port, address, server, connectedAtMs, isSecure, tls, serverName, clientProof, unanswered: 0 }
}

function plainAddress(ip = ''): string {
  return ip.replace(/^::ffff:(?=\d+\.)|%.*$/g, '')
}

function tlsFacts(socket: TLSSocket): TlsFacts {
  return {
    version: socket.getProtocol() ?? '',
    cipherSuite: socket.getCipher().standardName,
    sni: serverNameOf(socket) ?? '',
    negotiatedAlpn: socket.alpnProtocol || '',
    isSessionResumed: socket.isSessionReused(),
  }
}

function serverNameOf(socket: TLSSocket): string | undefined {
  const { servername } = socket as { servername?: string | false | null }
  return typeof servername === 'string' && servername !== '' ? servername.toLowerCase().replace(/\.$/, '') : undefined
}
