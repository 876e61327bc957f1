import { CelScalar, type CelError, type CelType, type CelValue, plan } from '@bufbuild/cel'
import { BudgetExhausted, workFor } from './budget.ts'
import { describe } from './cel-types.ts'
import { ExpressionCheck } from './check-expression.ts'
import { environment } from './environment.ts'
import { type ExpressionScope, workOf } from './expression-scope.ts'
import type { Phase } from './exchange.ts'
import { parseExpression } from './parse-expression.ts'
import type { FindingsAt } from './findings-at.ts'

/** A checked expression, ready to run any number of times. */
export interface Expression {
  readonly text: string
  readonly type: CelType
  /** Keys of visitor-filled maps that it reads, and those whose presence it tests. */
  readonly keys: Pick<ExpressionCheck, 'indexed' | 'guarded'>
  /** A value or an error value; throws only `BudgetExhausted`. */
  evaluate(scope: ExpressionScope): CelValue | CelError
}

/** Compiles an expression; what is wrong goes to `findings`, and the answer is then undefined. */
export function compileExpression(text: string, phase: Phase, findings: FindingsAt): Expression | undefined {
  const parsed = parseExpression(text, (code, message, position) => findings.refuse(code, message, position))
  if (!parsed) return undefined
  const check = new ExpressionCheck(parsed, phase, (code, message, position) =>
    findings.refuse(code, message, position),
  )
  const checked = check.run()
  for (const { name, now, position } of check.legacy)
    findings.warn('legacy_name', `'${name}' is now '${now}'`, position)
  if (!checked) return undefined
  const run = plan(environment, checked.expr)
  return {
    text,
    type: checked.type,
    keys: check,
    evaluate(scope) {
      const work = workOf(scope)
      workFor(work)
      const result = runWithoutStacks(run, scope)
      // The library turns whatever is thrown inside into an error value, which an `||` may absorb.
      if (work.isExhausted) throw new BudgetExhausted('the expressions need too much work for this request')
      return result
    },
  }
}

/** Errors are values here, and come by the thousand in a loop: collecting their stacks would cost most of the time. */
function runWithoutStacks(run: ReturnType<typeof plan>, scope: ExpressionScope): CelValue | CelError {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return run(scope)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Compiles the condition of a rule, which has to be a boolean. */
export function compileCondition(text: string, phase: Phase, findings: FindingsAt): Expression | undefined {
  const expression = compileExpression(text, phase, findings)
  if (!expression || expression.type === CelScalar.BOOL || expression.type === CelScalar.DYN) return expression
  findings.refuse('not_boolean', `the expression must be bool, it is ${describe(expression.type)}`, {
    line: 1,
    column: 1,
    offset: 0,
  })
  return undefined
}
