import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorReason, ServiceError, mintId } from '@tunnel/models'
import type { ConnectionError, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { errorCode } from './brand.ts'
import { validationError } from './validation.ts'

/** The body of every error reply. `details` holds strings only: that is all that existing clients decode. */
export interface ErrorBody {
  readonly error_code?: string
  readonly status_code: number
  readonly msg: string
  readonly details: Readonly<Record<string, string>>
}

/** Turns a failure into a reply. */
export function renderError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toServiceError(error, request)
  if (known.reason === 'path_not_found') return renderPathNotFound(request, reply)
  const operationId = mintId('op', Date.now())
  if (known.definition.status >= 500) request.log.error({ operationId, err: error }, 'a request failed')
  return reply.code(known.definition.status).send(errorBody(known, request.headers, { operation_id: operationId }))
}

/** The reply to a path, or a method of it, that does not exist. */
export function renderPathNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? ''
  return reply.code(404).send(errorBody(new ServiceError('path_not_found'), request.headers, { path }))
}

const connectionErrors: Readonly<Record<string, ErrorReason>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_too_slow',
  HPE_HEADER_OVERFLOW: 'request_headers_too_large',
}

/** Answers what never became a request, or did not arrive in time, and ends the connection. */
export function renderConnectionError({ code }: ConnectionError, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const error = new ServiceError((connectionErrors[code] ?? 'request_malformed') as 'request_malformed')
  const { status } = error.definition
  const body = JSON.stringify(errorBody(error, {}, { operation_id: mintId('op', Date.now()) }))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

function errorBody(error: ServiceError, headers: IncomingHttpHeaders, details: ErrorBody['details']): ErrorBody {
  const { code, status } = error.definition
  const named = code === null ? {} : { error_code: errorCode(headers, code) }
  return { ...named, status_code: status, msg: error.message, details: { ...error.details, ...details } }
}

function toServiceError(error: FastifyError | Error, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error as ServiceError
  if ('validation' in error && error.validation !== undefined) return validationError(error.validation, request)
  return 'code' in error ? frameworkError(error, request) : new ServiceError('internal')
}

function frameworkError({ code, statusCode }: FastifyError, request: FastifyRequest): ServiceError {
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return mediaTypeError(request.headers['content-type'])
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ServiceError('body_unparsable')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError('body_too_large', { maxBytes: request.routeOptions.bodyLimit })
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ServiceError('path_not_found')
    default:
      return new ServiceError(statusCode !== undefined && statusCode < 500 ? 'request_malformed' : 'internal')
  }
}

function mediaTypeError(contentType: string | undefined): ServiceError {
  if (contentType === undefined) return new ServiceError('content_type_missing')
  return new ServiceError('content_type_unsupported', { contentType: contentType.slice(0, 80) })
}
