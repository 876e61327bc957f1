import type { Expr, Expr_Call, Expr_Comprehension } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import type { Checked, ExpressionWalk, Locals } from './checked.ts'
import { callNode, identNode, listNode, trueNode } from './nodes.ts'

const collected = '@pairs'

/** `list.sortBy(x, key)`: a loop that puts the key before every member, and what sorts by the keys. */
export function checkSortBy(walk: ExpressionWalk, node: Expr, call: Expr_Call, locals: Locals): Checked {
  const [variable, key] = call.args
  if (variable?.exprKind.case !== 'identExpr' || !key || call.args.length !== 2)
    return walk.refuse(node, 'no_overload', 'sortBy() takes a name and a key, such as list.sortBy(x, x.age)')
  const { name } = variable.exprKind.value
  const pair = listNode(node, [key, identNode(node, name)])
  const value: Expr_Comprehension = {
    $typeName: 'cel.expr.Expr.Comprehension',
    iterVar: name,
    iterVar2: '',
    iterRange: call.target,
    accuVar: collected,
    accuInit: listNode(node, []),
    loopCondition: trueNode(node),
    loopStep: callNode(node, '_+_', [identNode(node, collected), listNode(node, [pair])]),
    result: identNode(node, collected),
  }
  const loop: Expr = { ...node, exprKind: { case: 'comprehensionExpr', value } }
  return walk.check(callNode(node, '@sortPairs', [loop]), locals)
}
