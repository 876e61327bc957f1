import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'

/** A host name that the service answers itself (sessions, the management API) instead of forwarding. */
export interface OwnHost {
  onRequest(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse): void
  /** Absent: requests for an upgrade are handled as ordinary ones. */
  onUpgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void
}
