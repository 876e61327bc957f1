import { parse } from '@bufbuild/cel'
import type { Constant, Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { ServiceError } from '@tunnel/models'

const filterMaxCharacters = 1000

/** Whether a list is asked for an item; takes it as replies show it. */
export type ListFilter = (item: object) => boolean

/** Reads the part of CEL in which lists are filtered, over one item named `obj`. Throws `filter_invalid`. */
export function readFilter(text: string, fields: readonly string[], now: number): ListFilter {
  const reading = { fields: new Set(fields), now }
  try {
    if (text.length > filterMaxCharacters) refuse(`it is longer than ${filterMaxCharacters} characters`)
    const term = compile(parsed(text), reading)
    return (item) => term(item) === true
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const shown = { problem: error.message.slice(0, 200), fields: fields.join(', ') }
    throw new ServiceError('filter_invalid', shown, { cause: error })
  }
}

class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

type Term = (item: object) => unknown
type Combine = (...values: readonly unknown[]) => unknown

interface Reading {
  readonly fields: ReadonlySet<string>
  readonly now: number
}

function refuse(problem: string): never {
  throw new Unreadable(problem)
}

function parsed(text: string): Expr {
  try {
    return parse(text).expr
  } catch {
    return refuse('it is not an expression')
  }
}

function compile({ exprKind }: Expr, reading: Reading): Term {
  switch (exprKind.case) {
    case 'constExpr':
      return constant(exprKind.value.constantKind)
    case 'identExpr':
      return refuse(`there is no ${exprKind.value.name} by itself; write obj and a field`)
    case 'selectExpr':
      return selection(exprKind, reading)
    case 'listExpr':
      return each(exprKind.value.elements, reading, (...values) => values)
    case 'callExpr': {
      const { function: name, target, args } = exprKind.value
      const operands = target === undefined ? args : [target, ...args]
      const combine = operators.get(`${name}/${operands.length}`) ?? refuse(`${name} is not supported`)
      return each(operands, reading, combine)
    }
    case 'structExpr':
    case 'comprehensionExpr':
    case undefined:
      return refuse('it has a part that is not supported')
  }
}

function each(operands: readonly Expr[], reading: Reading, combine: Combine): Term {
  const terms = operands.map((operand) => compile(operand, reading))
  return (item) => combine(...terms.map((term) => term(item)))
}

function constant({ case: kind, value }: Constant['constantKind']): Term {
  const plain = kind === 'nullValue' ? null : typeof value === 'bigint' ? Number(value) : value
  return () => plain
}

/** `obj.field`, `obj.field.part` and `time.now`. */
function selection(kind: Expr['exprKind'], { fields, now }: Reading): Term {
  const [root, field = '', ...parts] = pathOf(kind)
  if (root === 'time' && field === 'now' && parts.length === 0) return () => new Date(now)
  if (root !== 'obj' || !fields.has(field)) return refuse(`there is no field ${[root, field].join('.')}`)
  return (item) => [field, ...parts].reduce<unknown>(partOf, item)
}

function pathOf(kind: Expr['exprKind'] | undefined): readonly string[] {
  if (kind?.case === 'identExpr') return [kind.value.name]
  if (kind?.case !== 'selectExpr' || kind.value.testOnly) return refuse('it has a part that is not supported')
  return [...pathOf(kind.value.operand?.exprKind), kind.value.field]
}

function partOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}

const operators = new Map<string, Combine>([
  ['!_/1', (value) => value === false],
  ['-_/1', (value) => (typeof value === 'number' ? -value : undefined)],
  ['_&&_/2', (left, right) => left === true && right === true],
  ['_||_/2', (left, right) => left === true || right === true],
  ['_==_/2', isSame],
  ['_!=_/2', (left, right) => !isSame(left, right)],
  ['_<_/2', (left, right) => compare(left, right) < 0],
  ['_<=_/2', (left, right) => compare(left, right) <= 0],
  ['_>_/2', (left, right) => compare(left, right) > 0],
  ['_>=_/2', (left, right) => compare(left, right) >= 0],
  ['@in/2', (value, list) => Array.isArray(list) && list.some((one) => isSame(one, value))],
  ['size/1', sizeOf],
  ['startsWith/2', onTexts((text, part) => text.startsWith(part))],
  ['endsWith/2', onTexts((text, part) => text.endsWith(part))],
  ['contains/2', onTexts((text, part) => text.includes(part))],
  ['timestamp/1', timeOf],
  ['add/2', (time, duration) => shifted(time, duration, 1)],
  ['subtract/2', (time, duration) => shifted(time, duration, -1)],
])

/** A field that is not set equals null and the empty text; what refers to a resource equals its id. */
function isSame(left: unknown, right: unknown): boolean {
  if (left instanceof Date || right instanceof Date) return compare(left, right) === 0
  return comparable(left) === comparable(right)
}

function comparable(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'id' in value) return value.id
  return value === undefined || value === null ? '' : value
}

/** Below, at or above zero; NaN, which is none of these, for what has no order. */
function compare(left: unknown, right: unknown): number {
  if (left instanceof Date || right instanceof Date) return Number(timeOf(left)) - Number(timeOf(right))
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left !== 'string' || typeof right !== 'string') return Number.NaN
  return left === right ? 0 : left < right ? -1 : 1
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

function onTexts(test: (text: string, part: string) => boolean): Combine {
  return (text, part) => typeof text === 'string' && typeof part === 'string' && test(text, part)
}

function timeOf(value: unknown): Date {
  if (value instanceof Date) return value
  return new Date(typeof value === 'string' ? Date.parse(value) : Number.NaN)
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function shifted(time: unknown, duration: unknown, sign: 1 | -1): Date {
  const [, count = '', unit = ''] = /^(\d{1,9})([dhms])$/.exec(String(duration)) ?? []
  return new Date(timeOf(time).getTime() + sign * Number(count || Number.NaN) * (unitMs[unit] ?? Number.NaN))
}
