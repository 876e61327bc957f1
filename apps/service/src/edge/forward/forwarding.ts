import { ServiceError } from '@tunnel/models'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { Exchange, ExchangeDriver, FailureDetails } from '../exchange.ts'
import { upstreamError } from '../failures/upstream-failure.ts'
import type { HeaderList } from '../headers/header-list.ts'
import { forwardableTrailers } from '../headers/hop-by-hop.ts'
import { malformed } from '../headers/request-headers.ts'
import { type ResponseHead, ResponseSyntaxError } from '../http1/response-head.ts'
import { Splice } from '../raw/splice.ts'
import type { ForwardContext } from './forward-context.ts'
import { HeldResponse } from './held-response.ts'
import { isGrpc } from './request-nature.ts'
import { UpstreamAttempts } from './upstream-attempts.ts'
import type { UpstreamExchange, UpstreamFailure, UpstreamListener } from './upstream-exchange.ts'

/** One exchange on its way to the upstream and back. Slow visitors pause the stream, slow upstreams pause the visitor. */
export class Forwarding implements UpstreamListener, ExchangeDriver {
  readonly #exchange: Exchange
  readonly #context: ForwardContext
  readonly #attempts: UpstreamAttempts
  readonly #response: HeldResponse
  readonly #startedAt = performance.now()
  readonly #isOpenEnded: boolean
  #connection: UpstreamExchange | undefined
  #hasBodyStarted = false
  #isRequestSent = false
  #isBodyPaused = false
  #hasHead = false
  #isOver = false

  constructor(exchange: Exchange, tunnel: EdgeTunnel, context: ForwardContext) {
    this.#exchange = exchange
    this.#context = context
    this.#attempts = new UpstreamAttempts(exchange, tunnel, context)
    this.#response = new HeldResponse(exchange)
    this.#isOpenEnded = tunnel.upstreamProtocol === 'http2' && isGrpc(exchange.request)
    exchange.driver = this
  }

  start(): void {
    this.#sendOn(this.#attempts.first())
    this.#exchange.body?.deliverTo({
      onData: (chunk) => this.#sendBody(chunk),
      onEnd: (trailers) => this.#finishRequest(trailers),
    })
  }

  // ---- from the upstream

  onInterim(head: ResponseHead): void {
    if (head.status !== 100 || this.#exchange.request.expectsContinue) this.#exchange.response.sendInterim(head)
  }

  onHead(head: ResponseHead): void {
    this.#hasHead = true
    this.#context.responseDeadlines.stop(this)
    this.#context.metrics.onUpstreamHead(performance.now() - this.#startedAt)
    this.#response.start(head)
  }

  onBody(chunk: Buffer): void {
    if (!this.#response.write(chunk)) this.#awaitVisitor()
  }

  onBatchEnd(): void {
    if (!this.#response.flush()) this.#awaitVisitor()
  }

  onComplete(trailers: HeaderList): void {
    this.#isOver = true
    this.#response.end(forwardableTrailers(trailers))
    if (!this.#isRequestSent) this.#exchange.body?.discard()
  }

  onUpgrade(...[head, rest, takeOver]: Parameters<UpstreamListener['onUpgrade']>): void {
    const { request, response } = this.#exchange
    if (head.upgrade?.toLowerCase() !== request.upgrade?.toLowerCase())
      throw new ResponseSyntaxError('101 for another protocol than the request asked for')
    this.#isOver = true
    this.#context.responseDeadlines.stop(this)
    this.#exchange.status = head.status
    const splice = new Splice(response.switchProtocols(head), this.#exchange)
    splice.begin(takeOver(splice), rest)
  }

  onDrain(): void {
    if (!this.#isBodyPaused) return
    this.#isBodyPaused = false
    this.#exchange.body?.resume()
  }

  onFailure(failure: UpstreamFailure): void {
    try {
      if (this.#sendAgain(failure)) return
    } catch (error) {
      return this.#fail(error)
    }
    const http2Code = failure.kind === 'closed' ? failure.http2Code : undefined
    this.#fail(upstreamError(failure, this.#attempts.tunnel, this.#exchange.request.hostName), { http2Code })
  }

  // ---- from the visitor

  onVisitorDrain(): void {
    this.#context.stallDeadlines.stop(this)
    if (!this.#isOver) this.#connection?.resume()
  }

  onVisitorClose(): void {
    this.#context.stallDeadlines.stop(this)
    this.#stop()
  }

  // ---- from the deadlines

  /** No head of a response within the time limit. */
  onTooSlow(): void {
    const isVisitorLate = !this.#isRequestSent && !this.#isBodyPaused
    if (isVisitorLate) return this.#fail(new ServiceError('request_too_slow'))
    const seconds = Math.round(this.#context.responseMs / 1000)
    this.#fail(new ServiceError('upstream_timeout', { address: this.#attempts.tunnel.forwardsTo, seconds }))
  }

  /** Its connection would hold memory for ever. */
  onVisitorStalled(): void {
    this.#fail(new ServiceError('request_too_slow'))
  }

  /** False: there is no other way, or the request must not be sent twice. */
  #sendAgain(failure: UpstreamFailure): boolean {
    if (this.#hasBodyStarted || this.#isOver) return false
    const another = this.#attempts.next(this.#connection, failure)
    if (another !== null) this.#sendOn(another)
    return another !== null
  }

  #sendOn(connection: UpstreamExchange): void {
    this.#connection = connection
    connection.send(this.#exchange.request, this)
    if (this.#exchange.body === null) this.#finishSending([])
    else this.#awaitResponse()
  }

  #sendBody(chunk: Buffer): void {
    if (this.#isOver) return
    this.#hasBodyStarted = true
    this.#exchange.requestBytes += chunk.length
    this.#awaitResponse()
    if (this.#connection?.sendBody(chunk) === false) this.#pauseBody()
  }

  #pauseBody(): void {
    this.#isBodyPaused = true
    this.#exchange.body?.pause()
  }

  #finishRequest(trailers: HeaderList): void {
    if (this.#isOver) return
    const { body } = this.#exchange.request
    if (typeof body === 'number' && this.#exchange.requestBytes !== body)
      return this.#fail(malformed('Content-Length does not match the body'))
    this.#finishSending(forwardableTrailers(trailers))
  }

  #finishSending(trailers: HeaderList): void {
    this.#isRequestSent = true
    this.#connection?.finishRequest(trailers)
    this.#awaitResponse()
  }

  /** Calls of gRPC may be silent for as long as both sides like; their deadlines are their own. */
  #awaitResponse(): void {
    if (!this.#hasHead && !this.#isOpenEnded) this.#context.responseDeadlines.start(this)
  }

  #awaitVisitor(): void {
    this.#connection?.pause()
    this.#context.stallDeadlines.start(this)
  }

  #fail(error: unknown, details?: FailureDetails): void {
    this.#stop()
    this.#exchange.fail(error, details)
  }

  /** The exchange is over for the upstream: what is still running is cut. */
  #stop(): void {
    this.#context.responseDeadlines.stop(this)
    if (this.#isOver) return
    this.#isOver = true
    this.#connection?.release()
  }
}
