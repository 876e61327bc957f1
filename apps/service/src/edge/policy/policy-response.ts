import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Outcome, Policy, PolicyExchange } from '@tunnel/policy-engine'
import type { Exchange } from '../exchange.ts'
import type { HeaderList } from '../headers/header-list.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import type { ResponseObserver, VisitorResponse } from '../visitor/visitor-response.ts'
import { CompressingResponse } from './compressing-response.ts'
import { replyOf } from './policy-reply.ts'

/** The way back to the visitor through the response rules of a policy. Pages of the edge's own failures pass unseen. */
export class PolicyResponse implements VisitorResponse {
  readonly #exchange: Exchange
  readonly #policy: Policy
  readonly #run: PolicyExchange
  readonly #isFromUpstream: boolean
  #target: VisitorResponse
  /** The rules have answered in place of what comes. */
  #isReplaced = false

  constructor(exchange: Exchange, policy: Policy, run: PolicyExchange, isFromUpstream: boolean) {
    this.#exchange = exchange
    this.#policy = policy
    this.#run = run
    this.#isFromUpstream = isFromUpstream
    this.#target = exchange.response
  }

  get observer(): ResponseObserver {
    return this.#target.observer
  }

  set observer(observer: ResponseObserver) {
    this.#target.observer = observer
  }

  sendInterim(head: ResponseHead): void {
    this.#target.sendInterim(head)
  }

  start(head: ResponseHead): void {
    const { failure } = this.#exchange
    if (this.#isFromUpstream)
      this.#run.reportUpstream(isUpstreamFailure(head, failure?.definition.owner) ? 'failed' : 'answered')
    if (failure !== undefined || !this.#policy.hasRules('response')) return this.#target.start(head)
    const outcome = this.#policy.onResponse(this.#run, { statusCode: head.status, rawHeaders: head.headers })
    // No action of the response phase waits for anything.
    if (outcome instanceof Promise) throw new Error('a response rule would have to wait')
    if (outcome) this.#replace(outcome)
    else this.#pass(head)
  }

  flush(): void {
    if (!this.#isReplaced) this.#target.flush()
  }

  write(chunk: Buffer): boolean {
    return this.#isReplaced || this.#target.write(chunk)
  }

  end(lastChunk: Buffer | undefined, trailers: HeaderList): void {
    if (!this.#isReplaced) this.#target.end(lastChunk, trailers)
  }

  abort(http2Code?: number): void {
    if (!this.#isReplaced) this.#target.abort(http2Code)
  }

  switchProtocols(head: Parameters<VisitorResponse['switchProtocols']>[0]): Duplex {
    return this.#target.switchProtocols(head)
  }

  takeConnection(): Socket {
    return this.#target.takeConnection()
  }

  #pass(head: ResponseHead): void {
    const { response } = this.#run
    const headers = response ? [...response.headers.raw] : head.headers
    if (response?.contentCoding) this.#target = new CompressingResponse(this.#target, response.contentCoding)
    this.#target.start({ ...head, headers })
  }

  #replace(outcome: Outcome): void {
    this.#isReplaced = true
    if (outcome.kind !== 'respond') return this.#target.abort()
    const { head, body } = replyOf(outcome, this.#exchange.request.method)
    this.#exchange.status = head.status
    this.#target.start(head)
    this.#target.end(body.length === 0 ? undefined : body, [])
  }
}

function isUpstreamFailure({ status }: ResponseHead, owner: string | undefined): boolean {
  return owner === undefined ? status >= 500 : owner === 'upstream' || owner === 'agent'
}
