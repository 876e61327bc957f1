import type { Socket } from 'node:net'
import { asServiceError } from '../failures/as-service-error.ts'
import type { ExchangeObserver } from '../access-log.ts'
import type { AccountFilters } from '../edge-route.ts'
import { requireAllowed } from '../require-allowed.ts'
import { type Visitor, visitorOf } from '../visitor/visitor.ts'
import { passEdgeRules } from './connect-rules.ts'
import type { RawTarget } from './raw-edge.ts'
import type { RawMetrics } from './raw-metrics.ts'
import { cut, Splice } from './splice.ts'
import { StreamAttempts } from './stream-attempts.ts'

export interface RawDeps {
  readonly observers: readonly ExchangeObserver[]
  readonly restrictions: AccountFilters
  /** Identifier of this process's region, for policies. */
  readonly region: string
  readonly rawMetrics: RawMetrics
}

/** Joins a visitor's connection with a new stream to a target, byte for byte. `first` was read from the visitor before. */
export function joinRaw(socket: Socket, target: RawTarget, first: Buffer, host: string, deps: RawDeps): void {
  const visitor = visitorOf(socket)
  const record = new RawRecord(visitor, target.accountId, host)
  try {
    requireAllowed('backend' in target ? target.addressFilter : null, visitor.ip)
    requireAllowed(deps.restrictions.find(target.accountId), visitor.ip)
    if ('backend' in target) passEdgeRules(target, host, visitor, deps.region)
    const attempts = new StreamAttempts(target, { host, visitor, region: deps.region })
    const stream = attempts.open()
    const splice = new Splice(socket, record, () => attempts.openNext())
    splice.connect(stream, first)
    deps.rawMetrics.onOpened()
    const release = 'backend' in target ? target.keep(() => cut(socket)) : undefined
    socket.on('close', () => {
      release?.()
      attempts.finish(splice.isUpstreamDown && record.responseBytes === 0 ? 'failure' : 'success')
      record.tunnelId = attempts.tunnel?.id
      deps.rawMetrics.onClosed(record)
      record.finish(deps.observers)
    })
  } catch (error) {
    cut(socket)
    deps.rawMetrics.onRefused()
    record.finish(deps.observers, error)
  }
}

/** What the log and the meters are told of a connection. */
class RawRecord {
  readonly method = 'RAW'
  readonly target = ''
  readonly status = 0
  readonly visitor: Visitor
  readonly accountId: string
  readonly host: string
  readonly #startedAt = performance.now()
  tunnelId: string | undefined
  requestBytes = 0
  responseBytes = 0

  constructor(visitor: Visitor, accountId: string, host: string) {
    this.visitor = visitor
    this.accountId = accountId
    this.host = host
  }

  finish(observers: readonly ExchangeObserver[], error?: unknown): void {
    const { method, target, status, visitor, accountId, host, tunnelId, requestBytes, responseBytes } = this
    const failure = error === undefined ? undefined : asServiceError(error)
    const durationMs = performance.now() - this.#startedAt
    const known = { method, target, status, visitor, accountId, host, tunnelId, requestBytes, responseBytes }
    for (const observer of observers)
      observer.onFinished({ ...known, failure, isComplete: failure === undefined, durationMs })
  }
}
