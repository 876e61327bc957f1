import { parse } from '@bufbuild/cel'
import type { Expr } from '@bufbuild/cel-spec/cel/expr/syntax_pb.js'
import { limits } from '../document/limits.ts'
import { type ProblemCode, positionAt, type TextPosition } from '../document/problem.ts'

export interface ParsedExpression {
  readonly expr: Expr
  /** Where in the text a node begins. */
  positionOf(node: Expr): TextPosition
}

/** Receives what is wrong with one expression. */
export type Refuse = (code: ProblemCode, message: string, position: TextPosition) => void

/** Reads an expression, or says why it cannot be read. Long and deeply nested texts never reach the parser. */
export function parseExpression(text: string, refuse: Refuse): ParsedExpression | undefined {
  const start = positionAt(text, 0)
  if (text.trim() === '') return (refuse('expression_syntax', 'the expression is empty', start), undefined)
  if (text.length > limits.expressionMaxChars) {
    return (refuse('too_long', `an expression has at most ${limits.expressionMaxChars} characters`, start), undefined)
  }
  const tooDeepAt = findTooDeep(text)
  if (tooDeepAt !== undefined) {
    return (
      refuse('too_complex', `brackets nest at most ${limits.bracketMaxDepth} deep`, positionAt(text, tooDeepAt)),
      undefined
    )
  }
  try {
    // The parser wants a line end after a trailing comment.
    const { expr, sourceInfo } = parse(text.includes('//') ? `${text}\n` : text)
    return {
      expr,
      positionOf: (node) => positionAt(text, skipSpace(text, sourceInfo?.positions[String(node.id)] ?? 0)),
    }
  } catch (error) {
    const { message, offset } = syntaxError(error)
    return (refuse('expression_syntax', message, positionAt(text, Math.min(offset, text.length))), undefined)
  }
}

// The parser places an operator at the space before it.
function skipSpace(text: string, offset: number): number {
  return offset + text.slice(offset).search(/\S|$/)
}

// Quotes are not looked at: brackets inside of a string count too, which only matters far beyond real expressions.
function findTooDeep(text: string): number | undefined {
  let depth = 0
  for (let offset = 0; offset < text.length; offset++) {
    const char = text.charAt(offset)
    if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) depth = Math.max(0, depth - 1)
    if (depth > limits.bracketMaxDepth) return offset
  }
  return undefined
}

interface LocatedError extends Error {
  readonly location?: { readonly start?: { readonly offset?: number } }
}

function syntaxError(error: unknown): { message: string; offset: number } {
  if (!(error instanceof Error)) return { message: 'the expression cannot be read', offset: 0 }
  const { location }: LocatedError = error
  return { message: error.message.replace(/^<input>:\d+:\d+: /, ''), offset: location?.start?.offset ?? 0 }
}
