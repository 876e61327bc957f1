import { type ErrorReason, errorCatalogue, errorDefinitions } from '@tunnel/models'
import type { FastifySchema } from 'fastify'
import { errorCode } from './brand.ts'

/** The body of every failure, for the description of the API. */
export const errorSchema = {
  $id: 'Error',
  type: 'object',
  required: ['status_code', 'msg', 'details'],
  properties: {
    error_code: { type: 'string', pattern: '^ERR_[A-Z]+_[0-9]+$' },
    status_code: { type: 'integer' },
    msg: { type: 'string' },
    details: { type: 'object', additionalProperties: { type: 'string' } },
  },
}

/** One example for every error, by reason; `{name}` in a text stands for what the error names. */
export const errorExamples = Object.fromEntries(
  Object.entries(errorDefinitions).map(([reason, { code, status, msg }]) => {
    const named = code === null ? {} : { error_code: errorCode({}, code) }
    const details = { operation_id: 'op_3MPRDhe8FfFcmB2hHLBRl5YPgzS' }
    return [reason, { value: { ...named, status_code: status, msg, details } }]
  }),
)

interface DescribedRoute {
  readonly url: string
  readonly schema: FastifySchema
  /** Errors that this route has besides those of all routes of its kind. */
  readonly own: readonly ErrorReason[]
}

const everywhere = [
  'authorization_missing',
  'authorization_unsupported',
  'api_key_malformed',
  'api_key_invalid',
  'authtoken_as_api_key',
  'version_missing',
  'version_unsupported',
  'query_unknown',
  'rate_limited',
  'too_many_in_flight',
] as const satisfies ErrorReason[]
const ofBodies = [
  'content_type_unsupported',
  'content_type_missing',
  'content_encoding_unsupported',
  'body_unparsable',
  'body_too_large',
  'field_unknown',
  'field_invalid',
] as const satisfies ErrorReason[]
const ofLists = [
  'filter_invalid',
  'filter_too_rare',
  'limit_out_of_range',
  'limit_not_a_number',
  'query_repeated',
] as const satisfies ErrorReason[]

/** The responses of a route that are failures, by status, each with its errors as examples. */
export function failuresOf({ url, schema, own }: DescribedRoute): Record<string, object> {
  const reasons = new Set<ErrorReason>([
    ...everywhere,
    ...(url.includes(':') ? (['not_found'] as const) : []),
    ...(schema.body === undefined ? [] : ofBodies),
    ...(schema.querystring === undefined ? [] : ofLists),
    ...own,
  ])
  const byStatus = Map.groupBy(reasons, (reason) => errorCatalogue[reason].status)
  const responses = Array.from(byStatus, ([status, those]) => [status, failure(those)] as const)
  return { ...Object.fromEntries(responses), default: failure([]) }
}

function failure(reasons: readonly ErrorReason[]): object {
  const examples = reasons.map((reason) => [reason, { $ref: `#/components/examples/${reason}` }] as const)
  const description = reasons.length === 0 ? 'Any other failure' : reasons.join(', ')
  return {
    description: `${description}. The codes are explained at /docs/errors.`,
    content: { 'application/json': { schema: { $ref: 'Error#' }, examples: Object.fromEntries(examples) } },
  }
}
