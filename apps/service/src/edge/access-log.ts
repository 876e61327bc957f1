import type { ErrorOwner, ServiceError } from '@tunnel/models'
import type { Visitor } from './visitor/visitor.ts'

/** What is known of an exchange when it is over. */
export interface ExchangeRecord {
  readonly visitor: Visitor
  readonly method: string
  readonly host: string
  readonly target: string
  /** 0: the visitor left before a response began. */
  readonly status: number
  readonly failure: ServiceError | undefined
  readonly isComplete: boolean
  readonly requestBytes: number
  readonly responseBytes: number
  readonly durationMs: number
  readonly tunnelId: string | undefined
  /** Whose name was asked for. */
  readonly accountId: string | undefined
}

/** Who has to act on how an exchange ended; `nobody` when all is well. */
export type OutcomeOwner = ErrorOwner | 'nobody'

/** Takes notice of every exchange when it is over. */
export interface ExchangeObserver {
  onFinished(record: ExchangeRecord): void
}

const targetMaxLength = 2_048
const infoLevel = 30

/** Takes finished lines; it never waits and is bounded itself. */
export interface LineSink {
  write(line: string): void
}

/** One line per request, in the shape of the program's other log lines. */
export function accessLog(sink: LineSink): ExchangeObserver {
  return { onFinished: (record) => sink.write(`${JSON.stringify(lineOf(record))}\n`) }
}

function lineOf(record: ExchangeRecord): Record<string, unknown> {
  return {
    level: infoLevel,
    time: Date.now(),
    msg: 'request',
    visitor: record.visitor.address,
    method: record.method,
    host: record.host,
    target: record.target.length > targetMaxLength ? record.target.slice(0, targetMaxLength) : record.target,
    status: record.status,
    code: record.failure?.definition.code,
    cause: causeOf(record.failure),
    complete: record.isComplete,
    requestBytes: record.requestBytes,
    responseBytes: record.responseBytes,
    ms: Math.round(record.durationMs * 100) / 100,
    tunnel: record.tunnelId,
  }
}

function causeOf(failure: ServiceError | undefined): string | undefined {
  const cause = failure?.cause
  return cause instanceof Error ? (cause.stack ?? cause.message) : JSON.stringify(cause)
}
