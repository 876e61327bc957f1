import { CelScalar, type CelType, listType, mapType } from '@bufbuild/cel'
import type { Expr, Expr_CreateList, Expr_CreateStruct, Expr_Select } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { limits } from '../document/limits.ts'
import type { ProblemCode, TextPosition } from '../document/problem.ts'
import { checkCall } from './check-call.ts'
import type { Checked, ExpressionWalk, KeyUse, Locals } from './checked.ts'
import { commonType, describe } from './cel-types.ts'
import { checkLoop } from './check-loop.ts'
import type { Phase } from './exchange.ts'
import { callNode, identNode, nameChain, selectNode, stringNode } from './nodes.ts'
import type { ParsedExpression, Refuse } from './parse-expression.ts'
import { resolveName } from './resolve-name.ts'

const outermost: Locals = { byName: new Map(), loopDepth: 0, iterations: 1 }
const constantTypes: Readonly<Record<string, CelType>> = {
  stringValue: CelScalar.STRING,
  int64Value: CelScalar.INT,
  uint64Value: CelScalar.UINT,
  doubleValue: CelScalar.DOUBLE,
  boolValue: CelScalar.BOOL,
  bytesValue: CelScalar.BYTES,
  nullValue: CelScalar.NULL,
}
function lookUp(node: Expr, map: Checked, key: string, testOnly: boolean): Expr {
  return callNode(node, testOnly ? '@hasKey' : '@value', [map.expr, stringNode(node, key)])
}

const typeNames = new Set(['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type'])

/**
 * One walk over an expression's syntax: resolves names to declared variables, checks phases, types and literal
 * patterns, folds header names, and bounds the cost. It rewrites on the way, because the library by itself would let
 * a loop variable be hidden by a dotted name, and would answer `has()` on a declared name with false.
 */
export class ExpressionCheck implements ExpressionWalk {
  readonly phase: Phase
  readonly indexed: KeyUse[] = []
  readonly guarded = new Set<string>()
  readonly legacy: { name: string; now: string; position: TextPosition }[] = []
  readonly #parsed: ParsedExpression
  readonly #refuse: Refuse
  #nodes = 0
  #loops = 0
  #isRefused = false

  constructor(parsed: ParsedExpression, phase: Phase, refuse: Refuse) {
    this.#parsed = parsed
    this.phase = phase
    this.#refuse = refuse
  }

  /** Undefined when something was refused. */
  run(): Checked | undefined {
    const checked = this.check(this.#parsed.expr, outermost)
    return this.#isRefused ? undefined : checked
  }

  /** Reports once per walk what would otherwise cascade: a refused node has the type dyn. */
  refuse(node: Expr, code: ProblemCode, message: string): Checked {
    this.#isRefused = true
    this.#refuse(code, message, this.#parsed.positionOf(node))
    return { type: CelScalar.DYN, expr: node }
  }

  positionOf(node: Expr): TextPosition {
    return this.#parsed.positionOf(node)
  }

  freshLocalName(): string {
    return `@loop${this.#loops++}`
  }

  check(node: Expr | undefined, locals: Locals): Checked {
    if (!node) throw new Error('the syntax tree has a hole')
    if (++this.#nodes > limits.expressionMaxNodes) return this.#tooManyNodes(node)
    const { case: kind, value } = node.exprKind
    if (kind === 'constExpr') return { type: constantTypes[value.constantKind.case ?? ''] ?? CelScalar.DYN, expr: node }
    if (kind === 'identExpr') return this.#checkName(node, [value.name], locals)
    if (kind === 'selectExpr') return this.#checkSelect(node, value, locals)
    if (kind === 'callExpr') return checkCall(this, node, value, locals)
    if (kind === 'comprehensionExpr') return checkLoop(this, node, value, locals)
    if (kind === 'listExpr') return this.#checkList(node, value, locals)
    if (kind === 'structExpr') return this.#checkMap(node, value, locals)
    return this.refuse(node, 'expression_syntax', 'the expression cannot be read')
  }

  #tooManyNodes(node: Expr): Checked {
    const isFirst = this.#nodes === limits.expressionMaxNodes + 1
    if (isFirst) this.refuse(node, 'too_complex', `an expression has at most ${limits.expressionMaxNodes} parts`)
    return { type: CelScalar.DYN, expr: node }
  }

  #checkName(node: Expr, names: readonly string[], locals: Locals): Checked {
    const [root = ''] = names
    const local = locals.byName.get(root)
    if (local) return this.#selectAll(node, { type: local.type, expr: identNode(node, local.name) }, names.slice(1))
    if (names.length === 1 && typeNames.has(root)) return { type: CelScalar.TYPE, expr: node }
    const resolution = resolveName(names, this.phase)
    if (resolution.kind === 'refused') return this.refuse(node, resolution.code, resolution.message)
    const { name, variable, rest, legacy } = resolution
    if (legacy !== undefined && !name.startsWith('actions.'))
      this.legacy.push({ name: legacy, now: name, position: this.positionOf(node) })
    return this.#selectAll(node, { type: variable.type, expr: identNode(node, name), variable, name }, rest)
  }

  #checkSelect(node: Expr, select: Expr_Select, locals: Locals): Checked {
    const operandNames = select.operand && nameChain(select.operand)
    if (!operandNames) return this.#selectFrom(node, this.check(select.operand, locals), select.field, select.testOnly)
    const names = [...operandNames, select.field]
    if (!select.testOnly) return this.#checkName(node, names, locals)
    return this.#checkPresence(node, names, locals)
  }

  /** `has(a.b.c)`: of a declared name, whether the exchange has it; of a map, whether it has the key. */
  #checkPresence(node: Expr, names: readonly string[], locals: Locals): Checked {
    const isLocal = locals.byName.has(names[0] ?? '')
    const resolution = isLocal ? undefined : resolveName(names, this.phase)
    if (resolution?.kind === 'refused') return this.refuse(node, resolution.code, resolution.message)
    if (resolution?.rest.length === 0) return { type: CelScalar.BOOL, expr: identNode(node, `@has ${resolution.name}`) }
    const operand = this.#checkName(node, names.slice(0, -1), locals)
    return this.#selectFrom(node, operand, names.at(-1) ?? '', true)
  }

  #selectAll(node: Expr, start: Checked, fields: readonly string[]): Checked {
    return fields.reduce((operand, field) => this.#selectFrom(node, operand, field, false), start)
  }

  #selectFrom(node: Expr, operand: Checked, field: string, testOnly: boolean): Checked {
    const { type, variable, name } = operand
    if (type.kind !== 'map' && type !== CelScalar.DYN) {
      return this.refuse(node, 'no_overload', `${describe(type)} has no field '${field}'`)
    }
    const key = variable?.hasFoldedKeys ? field.toLowerCase() : field
    if (variable?.isVisitorMap) this.noteKey(node, `${name}:${key}`, testOnly)
    const resultType = testOnly ? CelScalar.BOOL : type.kind === 'map' ? type.value : CelScalar.DYN
    const expr = variable ? lookUp(node, operand, key, testOnly) : selectNode(node, operand.expr, key, testOnly)
    return { type: resultType, expr }
  }

  noteKey(node: Expr, key: string, isGuard: boolean): void {
    if (isGuard) this.guarded.add(key)
    else this.indexed.push({ key, position: this.positionOf(node) })
  }

  #checkList(node: Expr, list: Expr_CreateList, locals: Locals): Checked {
    const elements = list.elements.map((element) => this.check(element, locals))
    const value = { ...list, elements: elements.map(({ expr }) => expr) }
    const type = listType(commonType(elements.map((element) => element.type)))
    return { type, expr: { ...node, exprKind: { case: 'listExpr', value } } }
  }

  #checkMap(node: Expr, struct: Expr_CreateStruct, locals: Locals): Checked {
    if (struct.messageName !== '')
      return this.refuse(node, 'unknown_function', `messages such as ${struct.messageName} cannot be built here`)
    const types: CelType[] = []
    const entries = struct.entries.map((entry) => {
      if (entry.keyKind.case !== 'mapKey') return entry
      const key = this.check(entry.keyKind.value, locals)
      const value = this.check(entry.value, locals)
      types.push(value.type)
      return { ...entry, keyKind: { case: 'mapKey' as const, value: key.expr }, value: value.expr }
    })
    const type = mapType(CelScalar.DYN, commonType(types))
    return { type, expr: { ...node, exprKind: { case: 'structExpr', value: { ...struct, entries } } } }
  }
}
