import { CelScalar, type CelType } from '@bufbuild/cel'
import type { Expr, Expr_Comprehension } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { limits } from '../document/limits.ts'
import { describe } from './cel-types.ts'
import type { Checked, ExpressionWalk, Locals } from './checked.ts'
import { callNode } from './nodes.ts'

const assumedMembers = 100
const assumedUnknownMembers = 1000

/** Checks the expanded form of `all`, `exists`, `exists_one`, `map` and `filter`, and bounds how often they run. */
export function checkLoop(walk: ExpressionWalk, node: Expr, loop: Expr_Comprehension, locals: Locals): Checked {
  const range = walk.check(loop.iterRange, locals)
  const itemType = memberType(range.type)
  if (!itemType) return walk.refuse(node, 'no_overload', `cannot loop over ${describe(range.type)}`)
  const loopDepth = locals.loopDepth + 1
  const iterations = locals.iterations * expectedMembers(range)
  if (loopDepth > limits.loopMaxDepth)
    return walk.refuse(node, 'too_complex', `loops nest at most ${limits.loopMaxDepth} deep`)
  if (iterations > limits.loopMaxIterations) {
    return walk.refuse(
      node,
      'too_complex',
      `loops may run ${limits.loopMaxIterations} times, this one could run ${iterations}`,
    )
  }
  const start = walk.check(loop.accuInit, locals)
  const iterVar = walk.freshLocalName()
  const byName = new Map(locals.byName).set(loop.accuVar, { name: loop.accuVar, type: start.type })
  const outside = { byName, loopDepth, iterations }
  const inside = { ...outside, byName: new Map(byName).set(loop.iterVar, { name: iterVar, type: itemType }) }
  const condition = walk.check(loop.loopCondition, inside)
  const step = walk.check(loop.loopStep, inside)
  const result = walk.check(loop.result, outside)
  const value: Expr_Comprehension = {
    ...loop,
    iterVar,
    iterRange: callNode(range.expr, '@items', [range.expr]),
    accuInit: start.expr,
    loopCondition: condition.expr,
    loopStep: step.expr,
    result: result.expr,
  }
  return { type: result.type, expr: { ...node, exprKind: { case: 'comprehensionExpr', value } } }
}

function memberType(range: CelType): CelType | undefined {
  if (range.kind === 'list') return range.element
  if (range.kind === 'map') return range.key
  return range === CelScalar.DYN ? CelScalar.DYN : undefined
}

function expectedMembers({ expr, type }: Checked): number {
  if (expr.exprKind.case === 'listExpr') return Math.max(1, expr.exprKind.value.elements.length)
  return type === CelScalar.DYN ? assumedUnknownMembers : assumedMembers
}
