import type { FastifyError, FastifyInstance } from 'fastify'
import { ServiceError } from '@tunnel/models'
import { BindRefusedError } from '../tunnels/bind-refused-error.ts'
import { StoreWriteError } from '../store/record-store.ts'
import { PolicyInvalidError } from '../tunnels/check-policy.ts'
import { TunnelInputError } from '../tunnels/tunnels.ts'

/** One rule that one field of a body breaks. */
interface Problem {
  readonly field: string
  readonly problem: string
}

interface ErrorReply {
  readonly status: number
  readonly detail: string
  /** The service's code, where the service refused. */
  readonly error_code?: string
  readonly problems?: readonly object[]
}

/** Turns every failure into `{"detail": …}`, with `problems` beside it where fields are to blame. */
export function renderErrors(app: FastifyInstance, onFailure: (error: unknown) => void): void {
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    const { status, ...body } = describe(error)
    if (status >= 500) onFailure(error)
    return reply.code(status).send(body)
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }))
}

function describe(error: FastifyError): ErrorReply {
  if (error instanceof ServiceError) return { status: error.definition.status, detail: error.message }
  if (error instanceof BindRefusedError) return describeRefusal(error)
  if (error instanceof TunnelInputError) return invalid([{ field: error.field, problem: error.message }])
  if (error instanceof PolicyInvalidError) return describePolicy(error)
  if (error instanceof StoreWriteError) return describe(storeError(error) as unknown as FastifyError)
  if (error.validation) return invalid(error.validation.map(readProblem))
  if (error.statusCode !== undefined && error.statusCode < 500)
    return { status: error.statusCode, detail: error.message }
  return { status: 500, detail: 'The agent failed to do this; its log has the reason.' }
}

function describeRefusal({ status, message, code }: BindRefusedError): ErrorReply {
  return { status, detail: message, ...(code !== null && { error_code: `ERR_SERVICE_${code}` }) }
}

/** Problems of a policy come with their place in it. */
function describePolicy({ message, problems }: PolicyInvalidError): ErrorReply {
  return { status: 400, detail: message, problems }
}

function storeError(cause: StoreWriteError): ServiceError {
  return new ServiceError(cause.isDiskFull ? 'store_full' : 'store_unwritable', {}, { cause })
}

function invalid(problems: readonly Problem[]): ErrorReply {
  return { status: 400, detail: problems.map(({ field, problem }) => `${field} ${problem}`).join('; '), problems }
}

function readProblem({ instancePath, message, params }: NonNullable<FastifyError['validation']>[number]): Problem {
  const named = params['missingProperty'] ?? params['additionalProperty']
  const path = [...instancePath.split('/').slice(1), ...(typeof named === 'string' ? [named] : [])]
  return { field: path.join('.') || 'body', problem: describeRule(message, params) }
}

function describeRule(message: string | undefined, params: Record<string, unknown>): string {
  if ('missingProperty' in params) return 'is required'
  if ('additionalProperty' in params) return 'is not a field of a tunnel'
  if (Array.isArray(params['allowedValues'])) return `must be one of ${params['allowedValues'].join(', ')}`
  if ('pattern' in params) return 'must be a host name such as device.example.com'
  return message ?? 'is not valid'
}
