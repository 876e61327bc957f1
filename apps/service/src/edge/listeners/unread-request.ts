import { ServiceError } from '@tunnel/models'
import type { Duplex } from 'node:stream'
import { asServiceError } from '../failures/as-service-error.ts'
import { failureReply } from '../failures/failure-reply.ts'
import { malformed } from '../headers/request-headers.ts'
import { serialiseHead } from '../visitor/http1-response.ts'
import { visitorOf } from '../visitor/visitor.ts'

/** Ends a connection on which no request could be read, with the reason when the visitor can still understand it. */
export function answerUnread(socket: Duplex, error: Error): void {
  const hasGone = 'code' in error && error.code === 'ECONNRESET'
  if (hasGone || !socket.writable || visitorOf(socket).unanswered > 0) return void socket.destroy()
  const { head, body } = failureReply(failureOf(error), undefined)
  const headers = [...head.headers, 'Connection', 'close']
  socket.on('error', () => socket.destroy())
  socket.end(Buffer.concat([Buffer.from(serialiseHead({ ...head, headers }), 'latin1'), body]), () => socket.destroy())
}

function failureOf(error: Error): ServiceError {
  if (error instanceof ServiceError) return asServiceError(error)
  const { code, reason } = error as { code?: string; reason?: string }
  if (code === 'HPE_HEADER_OVERFLOW') return new ServiceError('request_headers_too_large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ServiceError('request_too_slow')
  return malformed(reason ?? 'it could not be parsed')
}
