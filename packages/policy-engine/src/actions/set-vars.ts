import type { CelInput } from '@bufbuild/cel'
import { Type } from 'typebox'
import { fromJson } from '../expressions/json-values.ts'
import type { ExpressionScope } from '../expressions/expression-scope.ts'
import { type ActionContext, defineAction, type FieldPath } from './action.ts'

const depthMax = 8

export const setVars = defineAction({
  type: 'set-vars',
  phases: ['request', 'response', 'connect'],
  summary:
    'Gives values names that later actions and rules of the same phase read as `vars.<name>`. A text that is just one `${…}` keeps the type of its value.',
  config: Type.Object(
    {
      vars: Type.Array(Type.Record(Type.String(), Type.Unknown(), { minProperties: 1, maxProperties: 1 }), {
        minItems: 1,
        maxItems: 64,
        description: 'One-entry maps from a name to any JSON value. Texts in it may contain `${…}`.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Work something out once',
      config: { vars: [{ tenant: "${req.url.host.split('.')[0]}" }, { limits: { items: 10 } }] },
      sample: {},
    },
  ],
  onFailure: 'continue',
  compile({ vars }, context) {
    const assignments = vars.flatMap((entry, index) =>
      Object.entries(entry).map(([name, value]) => {
        const field: FieldPath = ['vars', index, name]
        if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name))
          context.refuse(field, 'out_of_range', `'${name}' is not a name for a variable`)
        return { name, value: compileValue(value, field, context, 0) }
      }),
    )
    return (exchange) => {
      for (const { name, value } of assignments) exchange.setVar(name, value(exchange.scope))
      return undefined
    }
  },
})

type Value = (scope: ExpressionScope) => CelInput

/** Any JSON value with its texts as templates. */
function compileValue(value: unknown, field: FieldPath, context: ActionContext, depth: number): Value {
  if (depth > depthMax) {
    context.refuse(field, 'too_complex', `a variable nests at most ${depthMax} deep`)
    return () => null
  }
  if (typeof value === 'string') {
    const template = context.template(field, value)
    return (scope) => template.value(scope)
  }
  if (Array.isArray(value)) {
    const items = value.map((item, index) => compileValue(item, [...field, index], context, depth + 1))
    return (scope) => items.map((item) => item(scope))
  }
  if (typeof value !== 'object' || value === null) return () => fromJson(value)
  const entries = Object.entries(value).map(
    ([key, item]) => [key, compileValue(item, [...field, key], context, depth + 1)] as const,
  )
  return (scope) => new Map(entries.map(([key, item]) => [key, item(scope)]))
}
