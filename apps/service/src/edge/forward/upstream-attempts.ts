import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { Exchange } from '../exchange.ts'
import { isUntouched } from '../failures/upstream-failure.ts'
import type { ForwardContext } from './forward-context.ts'
import { isIdempotent } from './request-nature.ts'
import type { UpstreamExchange, UpstreamFailure } from './upstream-exchange.ts'

type AttemptContext = Pick<ForwardContext, 'pool' | 'metrics'>

/** Which upstream gets a request, and whether another one may get it after a failure. No request acts twice that must not. */
export class UpstreamAttempts {
  readonly #exchange: Exchange
  readonly #context: AttemptContext
  #tunnel: EdgeTunnel
  #isRetried = false
  /** Tunnels of the route's backend that have failed for this request. */
  #failed: readonly EdgeTunnel[] = []

  constructor(exchange: Exchange, tunnel: EdgeTunnel, context: AttemptContext) {
    this.#exchange = exchange
    this.#tunnel = tunnel
    this.#context = context
  }

  /** The one that was chosen last. */
  get tunnel(): EdgeTunnel {
    return this.#tunnel
  }

  /** Throws ServiceError when no tunnel takes a stream. */
  first(): UpstreamExchange {
    const { pool, metrics } = this.#context
    const reused = this.#isIdempotent ? pool.take(this.#tunnel) : pool.takeFresh(this.#tunnel)
    metrics.onStream(reused === undefined ? 'opened' : 'reused')
    return reused ?? this.#openAny()
  }

  /** After a failure before the body started: where to send the request again, or null. Throws like `first`. */
  next(last: UpstreamExchange | undefined, failure: UpstreamFailure): UpstreamExchange | null {
    if (last?.hasResponseBytes === true) return null
    if (!this.#maySendAgain(last) && !(this.#mayGoElsewhere(failure) && this.#chooseAnother())) return null
    this.#isRetried = true
    this.#context.metrics.onStream('retried')
    return this.#openAny()
  }

  get #isIdempotent(): boolean {
    return isIdempotent(this.#exchange.request)
  }

  /** A reused connection may have been closed by the upstream just before: nothing has happened to this request then. */
  #maySendAgain(last: UpstreamExchange | undefined): boolean {
    return last?.isReused === true && this.#isIdempotent && !this.#isRetried
  }

  /** Safe when the upstream has seen nothing of the request, and once for a request that may be sent twice. */
  #mayGoElsewhere(failure: UpstreamFailure): boolean {
    return isUntouched(failure) || (this.#isIdempotent && this.#failed.length === 0)
  }

  /** On this tunnel, or on the first of the backend's others that takes a stream. */
  #openAny(): UpstreamExchange {
    try {
      return this.#context.pool.open(this.#tunnel, this.#exchange.visitor.address)
    } catch (error) {
      if (this.#chooseAnother()) return this.#openAny()
      throw error
    }
  }

  #chooseAnother(): boolean {
    this.#failed = [...this.#failed, this.#tunnel]
    const choice = this.#exchange.route?.backend?.choose(this.#failed)
    if (choice?.kind !== 'tunnel') return false
    this.#exchange.use(choice)
    this.#tunnel = choice.tunnel
    return true
  }
}
