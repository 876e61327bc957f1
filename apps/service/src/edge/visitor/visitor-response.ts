import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { HeaderList } from '../headers/header-list.ts'
import type { ResponseFraming, ResponseHead } from '../http1/response-head.ts'
import type { Visitor } from './visitor.ts'

/** The way back to the visitor, the same for HTTP/1.1 and HTTP/2. */
export interface VisitorResponse {
  /** Sends an interim (1xx) response at once. */
  sendInterim(head: ResponseHead): void
  /** Sets the head; it leaves with the first bytes of the body, with `flush`, or with `end`. */
  start(head: ResponseHead): void
  /** Sends the head now. */
  flush(): void
  /** False: stop until `onDrain`. */
  write(chunk: Buffer): boolean
  end(lastChunk: Buffer | undefined, trailers: HeaderList): void
  /** Breaks off, so that the visitor can tell the response from a complete one. `http2Code`: the reason, where it can be told. */
  abort(http2Code?: number): void
  /** Sends a 101 and gives out the bare connection. Only after a request that asked for an upgrade. */
  switchProtocols(head: ResponseHead & Pick<ResponseFraming, 'upgrade'>): Duplex
  /** Gives out the bare connection to somebody who answers the request for an upgrade there. */
  takeConnection(): Socket
  /** Set by who answers, before anything can happen. */
  observer: ResponseObserver
}

export interface ResponseObserver {
  onDrain(): void
  /** Exactly once. `isComplete`: the visitor was sent all of the response. */
  onClose(isComplete: boolean): void
}

/** Who counts responses that are not over, by visitor. */
export interface ResponseCounter {
  /** Connections end with their next response. */
  readonly isDraining: boolean
  onResponseClosed(visitor: Visitor): void
}

/** Stands in until the response has found its observer. */
export const noObserver: ResponseObserver = { onDrain: () => undefined, onClose: () => undefined }
