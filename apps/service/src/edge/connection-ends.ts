import type { Socket } from 'node:net'

/** The real ends of an open connection: the same for a connection and for the TLS on top of it. */
export function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}
