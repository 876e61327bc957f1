import type { MuxStream, StreamEnding, StreamSink } from '@tunnel/session-protocol'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { HeaderList } from '../headers/header-list.ts'
import type { RequestHead } from '../http1/request-head.ts'
import type { ResponseFraming, ResponseHead } from '../http1/response-head.ts'
import type { ResponseReceiver } from '../http1/response-parser.ts'

/** Carries one exchange to an upstream and back, whatever version of HTTP the upstream speaks. */
export interface UpstreamExchange {
  /** The connection carried an exchange before: the upstream may have closed it meanwhile. */
  readonly isReused: boolean
  /** Something of the response to the present request has come. */
  readonly hasResponseBytes: boolean
  /** Sends the head. The body follows with `sendBody`, and `finishRequest` ends the request. */
  send(request: RequestHead, listener: UpstreamListener): void
  /** False: stop until `onDrain`. */
  sendBody(chunk: Buffer): boolean
  finishRequest(trailers: HeaderList): void
  /** Stops the response, and with it the upstream once the buffers between are full. */
  pause(): void
  resume(): void
  /** Ends the exchange, whatever it does now; the listener hears nothing more. */
  release(): void
}

/**
 * Why an exchange with an upstream failed. `unprocessed`: the upstream says that it has not touched the request. `http2Code`: how
 * it ended the stream, where that means the same to the visitor.
 */
export type UpstreamFailure =
  | { readonly kind: 'invalid'; readonly rule: string }
  | { readonly kind: 'closed'; readonly http2Code?: number }
  | { readonly kind: 'unprocessed' }
  | Exclude<StreamEnding, { kind: 'finished' }>

/** Receives what happens to an exchange. After `onFailure`: nothing. */
export interface UpstreamListener extends Omit<ResponseReceiver, 'onUpgrade'> {
  /** `takeOver` gives the stream, and everything that comes from here on, to a successor. */
  onUpgrade(head: ResponseHead & ResponseFraming, rest: Buffer, takeOver: (successor: StreamSink) => MuxStream): void
  /** Everything that came at once has been delivered: what was held back to join writes has to go now. */
  onBatchEnd(): void
  /** `sendBody` returned false before, and may be called again. */
  onDrain(): void
  onFailure(failure: UpstreamFailure): void
}

/** Where exchanges find a way to the upstream of a tunnel. */
export interface UpstreamPool {
  /** On a connection that is open already. */
  take(tunnel: EdgeTunnel): UpstreamExchange | undefined
  /** Only on a connection that the upstream will hardly be closing now. */
  takeFresh(tunnel: EdgeTunnel): UpstreamExchange | undefined
  /** On a new connection. Throws ServiceError `agent_offline`, `agent_busy`. */
  open(tunnel: EdgeTunnel, visitorAddress: string): UpstreamExchange
  /** Closes what was idle for too long. */
  expire(): void
}
