import type { ActionContext, FieldPath } from '../actions/action.ts'
import { childPath, type Findings } from '../document/problem.ts'
import type { PolicyProtocol } from '../document/rules.ts'
import type { Phase } from '../expressions/exchange.ts'
import { compileExpression } from '../expressions/expression.ts'
import { type FindingsAt, findingsAt } from '../expressions/findings-at.ts'
import { compileTemplate, type Template, TemplateError } from '../expressions/template.ts'
import type { PolicyHost, RuleRef } from '../run/policy-host.ts'

const refusedTemplate: Template = {
  literals: [],
  isLiteral: false,
  render() {
    throw new TemplateError('refused')
  },
  value() {
    throw new TemplateError('refused')
  },
}

interface Surroundings {
  readonly phase: Phase
  readonly protocol: PolicyProtocol
  readonly rule: RuleRef
  readonly host: PolicyHost
  readonly findings: Findings
  /** JSON path of the action's configuration. */
  readonly path: string
}

/** The context in which one action of a document is compiled. */
export function actionContext({ findings, path, ...surroundings }: Surroundings): ActionContext {
  const { phase, host } = surroundings
  const at = (field: FieldPath): FindingsAt => findingsAt(findings, field.reduce<string>(childPath, path))
  return {
    ...surroundings,
    refuse: (field, code, message) => at(field).refuse(code, message),
    warn: (field, code, message) => at(field).warn(code, message),
    template: (field, text) => compileTemplate(text, phase, at(field)) ?? refusedTemplate,
    expression: (field, text) => compileExpression(text, phase, at(field)),
    state: (key, create) => keepState(host.state, key, create),
  }
}

function keepState<T>(states: Map<string, unknown> | undefined, key: string, create: () => T): T {
  const known = states?.get(key)
  if (known !== undefined) return known as T
  const state = create()
  states?.set(key, state)
  return state
}
