import type { ErrorOwner, ServiceError } from '@tunnel/models'
import type { Logger } from 'pino'
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

/** One line per request. The logger's destination decides when it is written; nobody waits for it. */
export function accessLog(log: Logger): ExchangeObserver {
  return {
    onFinished: (record) =>
      log.info(
        {
          visitor: record.visitor.address,
          method: record.method,
          host: record.host,
          target: record.target.slice(0, targetMaxLength),
          status: record.status,
          code: record.failure?.definition.code,
          err: record.failure?.cause,
          complete: record.isComplete,
          requestBytes: record.requestBytes,
          responseBytes: record.responseBytes,
          ms: Math.round(record.durationMs * 100) / 100,
          tunnel: record.tunnelId,
        },
        'request',
      ),
  }
}
