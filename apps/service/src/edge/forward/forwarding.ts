import { ServiceError } from '@tunnel/models'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { Exchange, ExchangeDriver, FailureDetails } from '../exchange.ts'
import { isUntouched, upstreamError } from '../failures/upstream-failure.ts'
import type { HeaderList } from '../headers/header-list.ts'
import { forwardableTrailers } from '../headers/hop-by-hop.ts'
import { type ResponseHead, ResponseSyntaxError } from '../http1/response-head.ts'
import { malformed } from '../headers/request-headers.ts'
import { Splice } from '../raw/splice.ts'
import type { ForwardContext } from './forward-context.ts'
import { isGrpc, isIdempotent } from './request-nature.ts'
import type { UpstreamExchange, UpstreamFailure, UpstreamListener } from './upstream-exchange.ts'

/** One exchange on its way to the upstream and back. Slow visitors pause the stream, slow upstreams pause the visitor. */
export class Forwarding implements UpstreamListener, ExchangeDriver {
  readonly #exchange: Exchange
  #tunnel: EdgeTunnel
  readonly #context: ForwardContext
  readonly #startedAt = performance.now()
  readonly #isOpenEnded: boolean
  #connection: UpstreamExchange | undefined
  #hasBodyStarted = false
  #isRequestSent = false
  #isBodyPaused = false
  #isRetried = false
  /** Tunnels of the route's backend that have failed for this request. */
  #failed: readonly EdgeTunnel[] = []
  #hasHead = false
  /** The latest part of the body: written with what follows it at once, or in `onBatchEnd`. */
  #heldChunk: Buffer | undefined
  #isHeadHeld = false
  #isOver = false

  constructor(exchange: Exchange, tunnel: EdgeTunnel, context: ForwardContext) {
    this.#exchange = exchange
    this.#tunnel = tunnel
    this.#context = context
    this.#isOpenEnded = tunnel.upstreamProtocol === 'http2' && isGrpc(exchange.request)
    exchange.driver = this
  }

  start(): void {
    const { pool } = this.#context
    const reused = this.#isIdempotent ? pool.take(this.#tunnel) : pool.takeFresh(this.#tunnel)
    this.#context.metrics.onStream(reused === undefined ? 'opened' : 'reused')
    this.#attempt(reused ?? this.#openAny())
    this.#exchange.body?.deliverTo({
      onData: (chunk) => this.#sendBody(chunk),
      onEnd: (trailers) => this.#finishRequest(trailers),
    })
  }

  /** No head of a response within the time limit. */
  onTooSlow(): void {
    const seconds = Math.round(this.#context.responseMs / 1000)
    const { forwardsTo } = this.#tunnel
    const isVisitorLate = !this.#isRequestSent && !this.#isBodyPaused
    this.#fail(
      isVisitorLate
        ? new ServiceError('request_too_slow')
        : new ServiceError('upstream_timeout', { address: forwardsTo, seconds }),
    )
  }

  onInterim(head: ResponseHead): void {
    if (head.status !== 100 || this.#exchange.request.expectsContinue) this.#exchange.response.sendInterim(head)
  }

  onHead(head: ResponseHead): void {
    this.#hasHead = true
    this.#isHeadHeld = true
    this.#context.responseDeadlines.stop(this)
    this.#context.metrics.onUpstreamHead(performance.now() - this.#startedAt)
    this.#exchange.start(head)
  }

  onBody(chunk: Buffer): void {
    this.#writeHeld()
    this.#heldChunk = chunk
    this.#exchange.responseBytes += chunk.length
  }

  onBatchEnd(): void {
    if (this.#heldChunk !== undefined) this.#writeHeld()
    else if (this.#isHeadHeld) this.#exchange.response.flush()
    this.#isHeadHeld = false
  }

  onComplete(trailers: HeaderList): void {
    const lastChunk = this.#heldChunk
    this.#heldChunk = undefined
    this.#isHeadHeld = false
    this.#isOver = true
    this.#exchange.response.end(lastChunk, forwardableTrailers(trailers))
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

  onVisitorDrain(): void {
    this.#context.stallDeadlines.stop(this)
    if (!this.#isOver) this.#connection?.resume()
  }

  /** Its connection would hold memory for ever. */
  onVisitorStalled(): void {
    this.#fail(new ServiceError('request_too_slow'))
  }

  onVisitorClose(): void {
    this.#context.stallDeadlines.stop(this)
    this.#stop()
  }

  onFailure(failure: UpstreamFailure): void {
    if (this.#maySendAgain()) return this.#sendAgain()
    if (this.#mayGoElsewhere(failure) && this.#chooseAnother()) return this.#sendAgain()
    const http2Code = failure.kind === 'closed' ? failure.http2Code : undefined
    this.#fail(upstreamError(failure, this.#tunnel, this.#exchange.request.hostName), { http2Code })
  }

  get #isIdempotent(): boolean {
    return isIdempotent(this.#exchange.request)
  }

  #open(): UpstreamExchange {
    return this.#context.pool.open(this.#tunnel, this.#exchange.visitor.address)
  }

  /** On this tunnel, or on the first of the backend's others that takes a stream. */
  #openAny(): UpstreamExchange {
    try {
      return this.#open()
    } catch (error) {
      if (this.#chooseAnother()) return this.#openAny()
      throw error
    }
  }

  #attempt(connection: UpstreamExchange): void {
    const { request } = this.#exchange
    this.#connection = connection
    connection.send(request, this)
    if (this.#exchange.body === null) this.#finishSending([])
    else this.#awaitResponse()
  }

  /** A reused connection may have been closed by the upstream just before: nothing has happened to this request then. */
  #maySendAgain(): boolean {
    const connection = this.#connection
    if (connection === undefined || !connection.isReused || connection.hasResponseBytes) return false
    return this.#isIdempotent && !this.#hasBodyStarted && !this.#isRetried && !this.#isOver
  }

  /** Safe when the upstream has seen nothing of the request, and once for a request that may be sent twice. */
  #mayGoElsewhere(failure: UpstreamFailure): boolean {
    if (this.#hasBodyStarted || this.#isOver || this.#connection?.hasResponseBytes === true) return false
    return isUntouched(failure) || (this.#isIdempotent && this.#failed.length === 0)
  }

  #chooseAnother(): boolean {
    this.#failed = [...this.#failed, this.#tunnel]
    const choice = this.#exchange.route?.backend?.choose(this.#failed)
    if (choice?.kind !== 'tunnel') return false
    this.#exchange.use(choice)
    this.#tunnel = choice.tunnel
    return true
  }

  #sendAgain(): void {
    this.#isRetried = true
    this.#context.metrics.onStream('retried')
    try {
      this.#attempt(this.#openAny())
    } catch (error) {
      this.#fail(error)
    }
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

  #writeHeld(): void {
    const chunk = this.#heldChunk
    if (chunk === undefined) return
    this.#heldChunk = undefined
    this.#isHeadHeld = false
    if (this.#exchange.response.write(chunk)) return
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
