import { type ErrorReason, type FieldErrors, ServiceError, noControlCharacters, webAddress } from '@tunnel/models'
import type { FastifyRequest, FastifySchemaValidationError, FastifyServerOptions } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Errors of their own that broken fields of this route's body have. */
    fieldErrors?: FieldErrors
    /** Errors that arise while the request is carried out, for the description of the API. */
    refusals?: readonly ErrorReason[]
  }
}

type AjvOptions = NonNullable<FastifyServerOptions['ajv']>

/** What the patterns that many fields share demand, in words. */
const patternRules = new Map([
  [noControlCharacters, 'must not hold control characters'],
  [webAddress, 'must be an http:// or https:// address'],
])

/**
 * Unknown properties are errors instead of being dropped, nothing is coerced, and the first problem ends the check, so
 * that a hostile body costs little; `verbose` lets an error name the limit. `x-maxBytes` limits strings in UTF-8 bytes.
 */
export const ajvOptions: AjvOptions = {
  customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, allErrors: false, verbose: true },
  plugins: [
    (ajv) =>
      ajv.addKeyword({
        keyword: 'x-maxBytes',
        type: 'string',
        schemaType: 'number',
        compile: (maxBytes: number) => (text: string) =>
          text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes,
      }),
  ],
}

/** The catalogue's error for the first problem that a body has. */
export function validationError(
  problems: readonly FastifySchemaValidationError[],
  request: FastifyRequest,
): ServiceError {
  const [problem] = problems
  if (problem === undefined) return new ServiceError('request_malformed')
  const { keyword, params } = problem
  if (keyword === 'additionalProperties')
    return new ServiceError('field_unknown', {
      field: fieldPath(problem, params['additionalProperty']),
      supported: supportedFields(request).join(', '),
    })
  const field = fieldPath(problem, params['missingProperty'])
  const errors = request.routeOptions.config.fieldErrors ?? {}
  const reason = errors[`${field}:${keyword}`] ?? errors[field] ?? 'field_invalid'
  // Every reason in `fieldErrors` takes these two placeholders at most.
  return new ServiceError(reason as 'field_invalid', { field, problem: describe(problem) })
}

/** The properties that the route's body may have. */
export function supportedFields(request: FastifyRequest): string[] {
  const body = request.routeOptions.schema?.body as { properties?: object } | undefined
  return Object.keys(body?.properties ?? {})
}

/** `labels.region` for `/labels/region`; the whole body is called "body". */
function fieldPath({ instancePath }: FastifySchemaValidationError, property: unknown): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (typeof property === 'string') path.push(property)
  return path.join('.').slice(0, 200) || 'body'
}

function describe(problem: FastifySchemaValidationError): string {
  const { keyword, params, message } = problem
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'type':
      return `must be of type ${String(params['type']).replaceAll(',', ' or ')}`
    case 'x-maxBytes':
      return `must be at most ${limitOf(problem)} bytes long`
    case 'minLength':
      return 'must not be empty'
    case 'pattern':
      return patternRules.get(String(params['pattern'])) ?? 'is not well formed'
    case 'enum':
      return `must be one of ${String(params['allowedValues']).replaceAll(',', ', ')}`
    default:
      return message ?? 'is not valid'
  }
}

function limitOf(problem: FastifySchemaValidationError & { readonly schema?: unknown }): string {
  return String(problem.schema)
}
