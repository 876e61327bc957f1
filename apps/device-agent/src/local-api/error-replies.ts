import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '@tunnel/models'
import { BodyInvalidError, type Problem } from './body-check.ts'
import { BindRefusedError } from '../tunnels/bind-refused-error.ts'
import { StoreWriteError } from '../store/record-store.ts'
import { PolicyInvalidError } from '../tunnels/check-policy.ts'
import { TunnelInputError } from '../tunnels/tunnels.ts'

/** For what never reaches a route, such as a path that is not encoded as it should be. */
export function answerUnreadable(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(error.statusCode ?? 400).send({ detail: error.message })
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
  if (error instanceof BodyInvalidError) return invalid(error.problems)
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
