import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { endsOf } from '../connection-ends.ts'

/** The names in the ClientHellos of open connections. After a resumed TLS 1.2 handshake Node does not tell them. */
export class HelloNames {
  readonly #byEnds = new Map<string, string>()

  /** `ends` are those of the socket before a proxy's header gave it other addresses. */
  remember(socket: Socket, ends: string, serverName: string): void {
    this.#byEnds.set(ends, serverName)
    socket.once('close', () => this.#byEnds.delete(ends))
  }

  /** Lets the TLS on top of a remembered connection tell the name (`servername`), as it does after a full handshake. */
  restore(socket: TLSSocket & { servername?: string | false | null }): void {
    const serverName = this.#byEnds.get(endsOf(socket))
    if (serverName !== undefined && socket.isSessionReused() && !socket.servername) socket.servername = serverName
  }
}
