import type { Static, TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'

/** One rule that one field of a body breaks. */
export interface Problem {
  readonly field: string
  readonly problem: string
}

/** A body that breaks rules, with one problem for each field that does. */
export class BodyInvalidError extends Error {
  override readonly name = 'BodyInvalidError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ field, problem }) => `${field} ${problem}`).join('; '))
    this.problems = problems
  }
}

/**
 * A body that fulfils its schema. Sessions check their messages the same way: a device holds one validator, not two.
 * @throws BodyInvalidError
 */
export function checkBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  if (Check(schema, body)) return body
  throw new BodyInvalidError(findProblems(schema, body))
}

function findProblems(schema: TSchema, body: unknown): readonly Problem[] {
  const byField = new Map<string, string>()
  for (const { instancePath, message, params } of Errors(schema, body)) {
    const path = instancePath.split('/').slice(1)
    const { requiredProperties: missing, additionalProperties: unknown, allowedValues: allowed } = params as RuleParams
    for (const name of missing ?? []) byField.set([...path, name].join('.'), 'is required')
    for (const name of unknown ?? []) byField.set([...path, name].join('.'), 'is not a field of a tunnel')
    if (missing !== undefined || unknown !== undefined) continue
    const field = path.join('.') || 'body'
    // What is said first is the rule itself; the alternatives around it follow.
    if (!byField.has(field)) byField.set(field, describeRule(message, params, allowed))
  }
  return [...byField].map(([field, problem]) => ({ field, problem }))
}

interface RuleParams {
  readonly requiredProperties?: readonly string[]
  readonly additionalProperties?: readonly string[]
  readonly allowedValues?: readonly string[]
}

function describeRule(message: string, params: object, allowed: readonly string[] | undefined): string {
  if (allowed !== undefined) return `must be one of ${allowed.join(', ')}`
  if ('pattern' in params) return 'must be a host name such as device.example.com'
  return message
}
