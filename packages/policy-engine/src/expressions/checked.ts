import type { CelType } from '@bufbuild/cel'
import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import type { ProblemCode, TextPosition } from '../document/problem.ts'
import type { Variable } from './variables.ts'

/** A node after the pass: what it evaluates to, and the form in which the library gets it. */
export interface Checked {
  readonly type: CelType
  readonly expr: Expr
  /** Set where the node is just this variable. */
  readonly variable?: Variable
  /** Its full name. */
  readonly name?: string
}

/** A loop variable in sight. Loop variables get names that nobody can write, so none hides a dotted variable. */
interface Local {
  readonly name: string
  readonly type: CelType
}

export interface Locals {
  readonly byName: ReadonlyMap<string, Local>
  readonly loopDepth: number
  readonly iterations: number
}

/** A look at a key that a visitor may leave out: `req.headers['x']`. */
export interface KeyUse {
  readonly key: string
  readonly position: TextPosition
}

/** What the checks of calls and loops need from the walk that they are part of. */
export interface ExpressionWalk {
  check(node: Expr | undefined, locals: Locals): Checked
  /** The refused node counts as dyn, so that one mistake is reported once. */
  refuse(node: Expr, code: ProblemCode, message: string): Checked
  noteKey(node: Expr, key: string, isGuard: boolean): void
  freshLocalName(): string
}
