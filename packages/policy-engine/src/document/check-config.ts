import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { childPath, type Findings, type ProblemCode } from './problem.ts'
import type { JsonValue } from './read-document.ts'

const codeOfKeyword: Readonly<Record<string, ProblemCode>> = {
  type: 'wrong_type',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  multipleOf: 'out_of_range',
  enum: 'out_of_range',
  const: 'out_of_range',
  anyOf: 'wrong_type',
  minLength: 'out_of_range',
  maxLength: 'too_long',
  minItems: 'missing_field',
  maxItems: 'too_many',
  uniqueItems: 'conflicting_fields',
  minProperties: 'missing_field',
  maxProperties: 'too_many',
}

const validators = new WeakMap<TSchema, Validator>()

/** Whether a value has the form of a schema. Every deviation becomes a problem at its own path. */
export function hasForm<Schema extends TSchema>(
  schema: Schema,
  value: JsonValue,
  path: string,
  findings: Findings,
): value is Static<Schema> & JsonValue {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  if (validator.Check(value)) return true
  for (const { keyword, instancePath, params, message } of validator.Errors(value)) {
    const at = jsonPath(path, instancePath)
    const { requiredProperties, additionalProperties } = params as {
      requiredProperties?: string[]
      additionalProperties?: string[]
    }
    for (const name of requiredProperties ?? [])
      findings.refuse(childPath(at, name), 'missing_field', `${name} is required`)
    for (const name of additionalProperties ?? [])
      findings.refuse(childPath(at, name), 'unknown_field', `unknown field '${name}'`)
    const code = codeOfKeyword[keyword]
    if (code) findings.refuse(at, code, describeDeviation(keyword, message, params))
  }
  return false
}

function describeDeviation(keyword: string, message: string, params: object): string {
  if (keyword === 'enum' && 'allowedValues' in params)
    return `must be one of ${String(params.allowedValues).replaceAll(',', ', ')}`
  return message
}

/** `/headers/x~1y/0` as `$.….headers["x/y"][0]`. */
function jsonPath(root: string, pointer: string): string {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  return keys.reduce((path, key) => childPath(path, /^\d+$/.test(key) ? Number(key) : key), root)
}
