import { CelScalar, type CelType, listType } from '@bufbuild/cel'
import type { Expr, Expr_Call } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { commonType, describe, isAssignable, isComparable } from './cel-types.ts'
import { checkSortBy } from './check-sort-by.ts'
import type { Checked, ExpressionWalk, Locals } from './checked.ts'
import { lookupNames } from './functions/lookup.ts'
import { randomVariable } from './functions/random.ts'
import { callNode, identNode, literalText, nameChain, selectNode, stringNode } from './nodes.ts'
import { compilePattern } from './pattern.ts'
import { isFunction, resultType } from './signatures.ts'

const { BOOL, DYN, INT, STRING } = CelScalar

/** Checks a function, method or operator. */
export function checkCall(walk: ExpressionWalk, node: Expr, call: Expr_Call, locals: Locals): Checked {
  const name = qualifiedName(call, locals)
  if (name === 'has') return checkHas(walk, node, call, locals)
  if (name !== undefined && lookupNames.has(name)) return checkLookup(walk, node, name, call, locals)
  if (call.target && call.function === 'sortBy') return checkSortBy(walk, node, call, locals)
  const args = call.args.map((arg) => walk.check(arg, locals))
  if (name?.startsWith('rand.')) return checkRandom(walk, node, name, args)
  if (name !== undefined) return checkFunction(walk, node, name, args)
  const target = walk.check(call.target, locals)
  if (call.function === 'matches') checkPattern(walk, args[0])
  return checkOverload(walk, node, call.function, args, target)
}

/** The name of a plain or dotted function; undefined for a method of a value. */
function qualifiedName(call: Expr_Call, locals: Locals): string | undefined {
  if (!call.target) return call.function
  const names = nameChain(call.target)
  if (!names || locals.byName.has(names[0] ?? '')) return undefined
  const name = [...names, call.function].join('.')
  return isFunction(name) ? name : undefined
}

function checkFunction(walk: ExpressionWalk, node: Expr, name: string, args: readonly Checked[]): Checked {
  const done = (type: CelType): Checked => ({
    type,
    expr: callNode(
      node,
      name,
      args.map(({ expr }) => expr),
    ),
  })
  const [first, second, third] = args
  switch (name) {
    case '_&&_':
    case '_||_':
      return args.every(({ type }) => isAssignable(type, BOOL)) ? done(BOOL) : noOverload(walk, node, name, args)
    case '@not_strictly_false':
      return done(BOOL)
    case '_?_:_':
      if (!first || !second || !third || !isAssignable(first.type, BOOL)) return noOverload(walk, node, name, args)
      return done(commonType([second.type, third.type]))
    case '_==_':
    case '_!=_':
      if (!first || !second || !isComparable(first.type, second.type)) return noOverload(walk, node, name, args)
      if (name === '_!=_' || first.type !== STRING || second.type !== STRING) return done(BOOL)
      return { type: BOOL, expr: callNode(node, '@sameText', [first.expr, second.expr]) }
    case '_[_]':
      return checkIndex(walk, node, args)
    case '@in':
      return checkMembership(walk, node, args)
    case '_+_':
      if (first?.type.kind === 'list' && second?.type.kind === 'list') {
        return done(listType(commonType([first.type.element, second.type.element])))
      }
      break
    case 'matches':
      checkPattern(walk, second)
  }
  return checkOverload(walk, node, name, args)
}

function checkOverload(
  walk: ExpressionWalk,
  node: Expr,
  name: string,
  args: readonly Checked[],
  target?: Checked,
): Checked {
  if (!isFunction(name)) return walk.refuse(node, 'unknown_function', `unknown function '${name}'`)
  const type = resultType(
    name,
    target?.type,
    args.map((arg) => arg.type),
  )
  if (!type) return noOverload(walk, node, name, args, target)
  return {
    type,
    expr: callNode(
      node,
      name,
      args.map(({ expr }) => expr),
      target?.expr,
    ),
  }
}

function noOverload(
  walk: ExpressionWalk,
  node: Expr,
  name: string,
  args: readonly Checked[],
  target?: Checked,
): Checked {
  const receiver = target ? `${describe(target.type)}.` : ''
  const label = name === '@in' ? '_in_' : name
  return walk.refuse(
    node,
    'no_overload',
    `no overload for ${receiver}${label}(${args.map(({ type }) => describe(type)).join(', ')})`,
  )
}

/** The key in the case in which the map has it. */
function foldKey(container: Checked | undefined, key: Checked): Checked {
  if (!container?.variable?.hasFoldedKeys) return key
  const literal = literalText(key.expr)
  if (literal !== undefined) return { ...key, expr: stringNode(key.expr, literal.toLowerCase()) }
  return { ...key, expr: callNode(key.expr, '@foldCase', [key.expr]) }
}

function noteKey(walk: ExpressionWalk, node: Expr, container: Checked, key: Checked, isGuard: boolean): void {
  const literal = literalText(key.expr)
  if (container.variable?.isVisitorMap && literal !== undefined)
    walk.noteKey(node, `${container.name}:${literal}`, isGuard)
}

function checkIndex(walk: ExpressionWalk, node: Expr, args: readonly Checked[]): Checked {
  const [container, sentKey] = args
  if (!container || !sentKey) return noOverload(walk, node, '_[_]', args)
  const key = foldKey(container, sentKey)
  noteKey(walk, node, container, key, false)
  const { type } = container
  const expr = callNode(node, isVariableMap(container) ? '@value' : '_[_]', [container.expr, key.expr])
  if (type === DYN) return { type: DYN, expr }
  if (type.kind === 'list' && isAssignable(key.type, INT)) return { type: type.element, expr }
  if (type.kind === 'map' && isAssignable(key.type, type.key)) return { type: type.value, expr }
  return noOverload(walk, node, '_[_]', args)
}

function checkMembership(walk: ExpressionWalk, node: Expr, args: readonly Checked[]): Checked {
  const [sentKey, container] = args
  if (!container || !sentKey) return noOverload(walk, node, '@in', args)
  const key = foldKey(container, sentKey)
  noteKey(walk, node, container, key, true)
  const { type } = container
  const isPossible =
    type === DYN ||
    (type.kind === 'list' && isComparable(key.type, type.element)) ||
    (type.kind === 'map' && isAssignable(key.type, type.key))
  if (!isPossible) return noOverload(walk, node, '@in', args)
  const expr = isVariableMap(container)
    ? callNode(node, '@hasKey', [container.expr, key.expr])
    : callNode(node, '@in', [key.expr, container.expr])
  return { type: BOOL, expr }
}

function isVariableMap({ type, variable }: Checked): boolean {
  return variable !== undefined && type.kind === 'map'
}

/** `has(map['key'])` is not in the language, but documented examples use it: it means `'key' in map`. */
function checkHas(walk: ExpressionWalk, node: Expr, call: Expr_Call, locals: Locals): Checked {
  const [argument] = call.args
  const index =
    argument?.exprKind.case === 'callExpr' && argument.exprKind.value.function === '_[_]'
      ? argument.exprKind.value
      : undefined
  const [container, key] = index?.args ?? []
  if (!container || !key)
    return walk.refuse(node, 'no_overload', 'has() takes a field, such as has(req.headers.accept)')
  return checkMembership(walk, node, [walk.check(key, locals), walk.check(container, locals)])
}

/** `hasReqHeader('x')` becomes a look-up in `req.headers`, with that variable's phases. */
function checkLookup(walk: ExpressionWalk, node: Expr, name: string, call: Expr_Call, locals: Locals): Checked {
  const lookup = lookupNames.get(name)
  const [argument] = call.args
  if (!lookup || !argument || call.args.length !== 1)
    return walk.refuse(node, 'no_overload', `${name}() takes one name`)
  const container = walk.check(pathNode(node, lookup.variable), locals)
  const sentKey = walk.check(argument, locals)
  if (!isAssignable(sentKey.type, STRING)) return noOverload(walk, node, name, [sentKey])
  const key = foldKey(container, sentKey)
  noteKey(walk, node, container, key, true)
  const members = container.type.kind === 'map' ? container.type.value : DYN
  const type = lookup.target === '@hasKey' ? BOOL : members
  return { type, expr: callNode(node, lookup.target, [container.expr, key.expr]) }
}

function pathNode(origin: Expr, dotted: string): Expr {
  const [root = '', ...fields] = dotted.split('.')
  return fields.reduce((operand, field) => selectNode(origin, operand, field, false), identNode(origin, root))
}

function checkRandom(walk: ExpressionWalk, node: Expr, name: string, args: readonly Checked[]): Checked {
  const random: Checked = { type: CelScalar.DOUBLE, expr: identNode(node, randomVariable) }
  const checked = resultType(
    name,
    undefined,
    [random, ...args].map(({ type }) => type),
  )
  if (!checked) return noOverload(walk, node, name, args)
  return {
    type: checked,
    expr: callNode(
      node,
      name,
      [random, ...args].map(({ expr }) => expr),
    ),
  }
}

function checkPattern(walk: ExpressionWalk, pattern: Checked | undefined): void {
  const literal = literalText(pattern?.expr)
  if (literal === undefined || !pattern) return
  try {
    compilePattern(literal)
  } catch (error) {
    walk.refuse(pattern.expr, 'invalid_regex', error instanceof Error ? error.message : String(error))
  }
}
