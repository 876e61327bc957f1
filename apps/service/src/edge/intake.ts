import { ServiceError } from '@tunnel/models'
import type { CertificateSource } from './certificate-source.ts'
import { Exchange } from './exchange.ts'
import { asServiceError } from './failures/as-service-error.ts'
import { failureReply } from './failures/failure-reply.ts'
import type { ExchangeObserver } from './access-log.ts'
import { headerValue } from './headers/header-list.ts'
import type { EdgeLimits } from './limits.ts'
import type { OwnHost } from './own-host.ts'
import type { RequestBody } from './visitor/request-body.ts'
import { type ReceivedRequest, readRequest, type VisitorRequest } from './visitor/visitor-request.ts'
import type { ResponseCounter, VisitorResponse } from './visitor/visitor-response.ts'
import type { Visitor } from './visitor/visitor.ts'

/** A request as a listener hands it in; the parts are opened when it is known who answers. */
export interface Arrival {
  readonly visitor: Visitor
  readonly received: ReceivedRequest
  /** The protocol that the connection may switch to. */
  readonly upgrade: string | undefined
  openBody(): RequestBody
  openResponse(counter: ResponseCounter): VisitorResponse
  /** The name belongs to the service itself. */
  passTo(host: OwnHost): void
  /** Ends the connection, or the stream of it, without an answer. */
  disconnect(): void
}

export interface IntakeDeps {
  readonly certificates: CertificateSource
  readonly ownHosts: ReadonlyMap<string, OwnHost>
  readonly limits: EdgeLimits
  /** For requests that are refused here; the others are observed by a stage. */
  readonly observers: readonly ExchangeObserver[]
  readonly handle: (exchange: Exchange) => void
}

/** The door of the edge: what every request passes, whatever protocol it came by, before the stages see it. */
export class Intake implements ResponseCounter {
  readonly #deps: IntakeDeps
  #openCount = 0
  #isDraining = false
  readonly #idle = Promise.withResolvers<void>()

  constructor(deps: IntakeDeps) {
    this.#deps = deps
  }

  /** Requests that are not answered yet. */
  get openCount(): number {
    return this.#openCount
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** From now on new requests are turned away, and connections end with their next response. Resolves when all are answered. */
  drain(): Promise<void> {
    this.#isDraining = true
    if (this.#openCount === 0) this.#idle.resolve()
    return this.#idle.promise
  }

  onResponseClosed(visitor: Visitor): void {
    visitor.unanswered -= 1
    this.#openCount -= 1
    if (this.#isDraining && this.#openCount === 0) this.#idle.resolve()
  }

  /** Never throws. */
  admit(arrival: Arrival): void {
    let request: VisitorRequest
    try {
      request = this.#read(arrival)
    } catch (error) {
      return this.#refuse(arrival, error)
    }
    const own = this.#deps.ownHosts.get(request.hostName)
    if (own !== undefined) return passTo(own, arrival)
    const body = request.body === 'none' || request.body === 0 ? null : arrival.openBody()
    this.#deps.handle(new Exchange(arrival.visitor, request, body, this.#openResponse(arrival)))
  }

  #read({ received, visitor, upgrade }: Arrival): VisitorRequest {
    const { limits, certificates } = this.#deps
    if (this.#isDraining) throw new ServiceError('service_draining')
    if (received.version !== '2.0' && visitor.unanswered >= limits.pipelinedMaxCount)
      throw new ServiceError('pipeline_too_long')
    const request = readRequest(received, visitor, limits)
    if (visitor.isSecure && !certificates.covers(visitor.serverName, request.hostName))
      throw new ServiceError('request_misdirected', { host: request.hostName })
    return upgrade === undefined ? request : { ...request, upgrade }
  }

  #openResponse(arrival: Arrival): VisitorResponse {
    this.#openCount += 1
    arrival.visitor.unanswered += 1
    return arrival.openResponse(this)
  }

  #refuse(arrival: Arrival, cause: unknown): void {
    const failure = asServiceError(cause)
    const { head, body } = failureReply(failure, headerValue(arrival.received.rawHeaders, 'accept'))
    const response = this.#openResponse(arrival)
    const { method, target } = arrival.received
    const known = { visitor: arrival.visitor, method, target, host: '', status: head.status, failure }
    const bytes = {
      requestBytes: 0,
      responseBytes: body.length,
      durationMs: 0,
      tunnelId: undefined,
      accountId: undefined,
    }
    response.observer = {
      onDrain: () => undefined,
      onClose: (isComplete) => {
        for (const observer of this.#deps.observers) observer.onFinished({ ...known, ...bytes, isComplete })
      },
    }
    // What follows on this connection may have been meant to be read in another way.
    const isOwnConnection = arrival.received.version !== '2.0'
    response.start(isOwnConnection ? { ...head, headers: [...head.headers, 'Connection', 'close'] } : head)
    response.end(body, [])
    arrival.openBody().discard()
  }
}

/** A host of ours that throws costs its own visitor the connection, and nobody else anything. */
function passTo(host: OwnHost, arrival: Arrival): void {
  try {
    arrival.passTo(host)
  } catch {
    arrival.disconnect()
  }
}
