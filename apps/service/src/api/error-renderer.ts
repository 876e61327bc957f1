import { ServiceError, mintId } from '@tunnel/models'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { errorCode } from './brand.ts'
import { validationError } from './validation.ts'

/** The body of every error reply. `details` holds strings only: that is all that existing clients decode. */
export interface ErrorBody {
  readonly error_code?: string
  readonly status_code: number
  readonly msg: string
  readonly details: Readonly<Record<string, string>>
}

/** The only place that turns a failure into a reply. */
export function renderError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toServiceError(error, request)
  if (known.reason === 'path_not_found') return renderPathNotFound(request, reply)
  const operationId = mintId('op', Date.now())
  if (known.definition.status >= 500) request.log.error({ operationId, err: error }, 'a request failed')
  return reply.code(known.definition.status).send(errorBody(known, request, { operation_id: operationId }))
}

/** The reply to a path, or a method of it, that does not exist. */
export function renderPathNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? ''
  return reply.code(404).send(errorBody(new ServiceError('path_not_found'), request, { path }))
}

function errorBody(error: ServiceError, request: FastifyRequest, details: ErrorBody['details']): ErrorBody {
  const { code, status } = error.definition
  const named = code === null ? {} : { error_code: errorCode(request.headers, code) }
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
