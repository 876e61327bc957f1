import type { ServiceError } from '@tunnel/models'
import type { ExchangeObserver, ExchangeRecord } from './access-log.ts'
import type { BackendChoice, EdgeRoute, PublishedEdge } from './edge-route.ts'
import type { EdgeTunnel } from './edge-tunnel.ts'
import { asServiceError } from './failures/as-service-error.ts'
import { failureReply } from './failures/failure-reply.ts'
import { headerValue } from './headers/header-list.ts'
import type { ResponseHead } from './http1/response-head.ts'
import type { ReadableBody } from './visitor/request-body.ts'
import type { VisitorRequest } from './visitor/visitor-request.ts'
import type { ResponseObserver, VisitorResponse } from './visitor/visitor-response.ts'
import type { Visitor } from './visitor/visitor.ts'

/** A complete reply of the edge itself. */
export interface Reply {
  readonly head: ResponseHead
  readonly body: Buffer
}

/** What goes with a failure. */
export interface FailureDetails {
  /** Of its page; names and values in turn. */
  readonly moreHeaders?: readonly string[]
  /** Why a response over HTTP/2 is broken off. */
  readonly http2Code?: number | undefined
}

/** What runs an exchange after the stages have returned. */
export interface ExchangeDriver {
  /** The visitor can take more. */
  onVisitorDrain(): void
  /** The response is over, complete or not. */
  onVisitorClose(): void
}

/** One request and its response, on the way through the stages. */
export class Exchange implements ResponseObserver, ExchangeRecord {
  readonly visitor: Visitor
  /** A stage may put another in the place of these three. */
  request: VisitorRequest
  body: ReadableBody | null
  response: VisitorResponse
  readonly #startedAt = performance.now()
  /** Set by the lookup stage: a tunnel, or an edge whose routes then lead to one. */
  tunnel: EdgeTunnel | undefined
  edge: PublishedEdge | undefined
  route: EdgeRoute | undefined
  /** Of the response that was started; 0 before. */
  status = 0
  requestBytes = 0
  responseBytes = 0
  durationMs = 0
  isComplete = false
  /** Why the edge answered in place of the upstream, or broke off. */
  failure: ServiceError | undefined
  driver: ExchangeDriver | undefined
  /** Set by the observing stage; told when all is over. */
  observers: readonly ExchangeObserver[] = []
  #endTunnelUse: ((outcome: 'success' | 'failure') => void) | undefined

  constructor(visitor: Visitor, request: VisitorRequest, body: ReadableBody | null, response: VisitorResponse) {
    this.visitor = visitor
    this.request = request
    this.body = body
    this.response = response
    response.observer = this
  }

  get method(): string {
    return this.request.method
  }

  get host(): string {
    return this.request.host
  }

  get target(): string {
    return this.request.target
  }

  get tunnelId(): string | undefined {
    return this.tunnel?.id
  }

  get accountId(): string | undefined {
    return this.tunnel?.accountId ?? this.route?.accountId
  }

  /** The response is over, or the visitor has left. */
  get isOver(): boolean {
    return this.durationMs > 0
  }

  onDrain(): void {
    this.driver?.onVisitorDrain()
  }

  onClose(isComplete: boolean): void {
    this.isComplete = isComplete
    this.durationMs = performance.now() - this.#startedAt
    this.driver?.onVisitorClose()
    this.#endTunnelUse?.(isOwnedBehindEdge(this.failure) ? 'failure' : 'success')
    for (const observer of this.observers) observer.onFinished(this)
  }

  /** Forwards to a tunnel that a backend chose; one that was chosen before has failed. */
  use({ tunnel, use }: Extract<BackendChoice, { kind: 'tunnel' }>): void {
    this.#endTunnelUse?.('failure')
    this.tunnel = tunnel
    this.#endTunnelUse = use.begin()
  }

  /** Starts the response. */
  start(head: ResponseHead): void {
    this.status = head.status
    this.response.start(head)
  }

  /** Answers without an upstream. */
  answer({ head, body }: Reply): void {
    this.start(head)
    this.responseBytes = body.length
    this.response.end(body, [])
    this.body?.discard()
  }

  /** Answers with the page of a failure; when a response has begun, breaks it off. */
  fail(error: unknown, { moreHeaders = [], http2Code }: FailureDetails = {}): void {
    this.failure = asServiceError(error)
    if (this.status > 0) return this.response.abort(http2Code)
    const { head, body } = failureReply(this.failure, headerValue(this.request.headers, 'accept'))
    this.answer({ head: { ...head, headers: [...head.headers, ...moreHeaders] }, body })
  }
}

/** Whether the tunnel that was used is to blame. */
function isOwnedBehindEdge(failure: ServiceError | undefined): boolean {
  const owner = failure?.definition.owner
  return owner === 'agent' || owner === 'upstream'
}
