import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'

/** Builders of syntax nodes. A rewritten node keeps the id, and so the position, of what it stands for. */

export function identNode(origin: Expr, name: string): Expr {
  return { ...origin, exprKind: { case: 'identExpr', value: { $typeName: 'cel.expr.Expr.Ident', name } } }
}

export function stringNode(origin: Expr, value: string): Expr {
  return {
    ...origin,
    exprKind: {
      case: 'constExpr',
      value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'stringValue', value } },
    },
  }
}

export function callNode(origin: Expr, name: string, args: Expr[], target?: Expr): Expr {
  return {
    ...origin,
    exprKind: {
      case: 'callExpr',
      value: { $typeName: 'cel.expr.Expr.Call', function: name, args, ...(target && { target }) },
    },
  }
}

export function selectNode(origin: Expr, operand: Expr, field: string, testOnly: boolean): Expr {
  return {
    ...origin,
    exprKind: { case: 'selectExpr', value: { $typeName: 'cel.expr.Expr.Select', operand, field, testOnly } },
  }
}

export function listNode(origin: Expr, elements: Expr[]): Expr {
  return {
    ...origin,
    exprKind: { case: 'listExpr', value: { $typeName: 'cel.expr.Expr.CreateList', elements, optionalIndices: [] } },
  }
}

export function trueNode(origin: Expr): Expr {
  return {
    ...origin,
    exprKind: {
      case: 'constExpr',
      value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'boolValue', value: true } },
    },
  }
}

/** `a.b.c` as its names; undefined for anything else. */
export function nameChain(node: Expr): readonly string[] | undefined {
  if (node.exprKind.case === 'identExpr') return [node.exprKind.value.name]
  if (node.exprKind.case !== 'selectExpr' || node.exprKind.value.testOnly || !node.exprKind.value.operand)
    return undefined
  const operand = nameChain(node.exprKind.value.operand)
  return operand && [...operand, node.exprKind.value.field]
}

/** The value of a string literal. */
export function literalText(node: Expr | undefined): string | undefined {
  if (node?.exprKind.case !== 'constExpr') return undefined
  const { constantKind } = node.exprKind.value
  return constantKind.case === 'stringValue' ? constantKind.value : undefined
}
