import { type CelValue, isCelError } from '@bufbuild/cel'
import { limits } from '../document/limits.ts'
import { charge } from './budget.ts'
import { positionAt, type TextPosition } from '../document/problem.ts'
import type { Phase } from './exchange.ts'
import { compileExpression, type Expression } from './expression.ts'
import type { ExpressionScope } from './expression-scope.ts'
import type { FindingsAt } from './findings-at.ts'
import { renderText } from './json-values.ts'

/** To put a text together, and to check and send it. */
const nanosecondsPerCharacter = 2

/** A text with `${expression}` parts. */
export interface Template {
  /** What stands around the expressions. */
  readonly literals: readonly string[]
  readonly isLiteral: boolean
  /** Throws `TemplateError` when an expression fails. */
  render(scope: ExpressionScope): string
  /** Like `render`, but a template that is one expression gives its value. */
  value(scope: ExpressionScope): CelValue
}

export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** The text, or undefined where an expression in it fails. */
export function renderOrNothing(render: () => string | undefined): string | undefined {
  try {
    return render()
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

type Part = { readonly literal: string } | { readonly expression: Expression }

/** Compiles a text; positions of what is found in its expressions count from the start of the whole text. */
export function compileTemplate(text: string, phase: Phase, findings: FindingsAt): Template | undefined {
  if (text.length > limits.templateMaxChars) {
    findings.refuse('too_long', `a text has at most ${limits.templateMaxChars} characters`)
    return undefined
  }
  const pieces = split(text)
  if ('unterminatedAt' in pieces) {
    findings.refuse(
      'unterminated_template',
      `\${ without its } within ${limits.expressionMaxChars} characters`,
      positionAt(text, pieces.unterminatedAt),
    )
    return undefined
  }
  if (pieces.filter((piece) => 'expression' in piece).length > limits.templateMaxParts) {
    findings.refuse('too_many', `a text has at most ${limits.templateMaxParts} expressions`)
    return undefined
  }
  const parts = pieces.map((piece) => compilePiece(piece, text, phase, findings))
  const complete = parts.filter((part) => part !== undefined)
  return complete.length === parts.length ? makeTemplate(complete) : undefined
}

function makeTemplate(parts: readonly Part[]): Template {
  const literals = parts.flatMap((part) => ('literal' in part ? [part.literal] : []))
  const [only] = parts
  const isLiteral = literals.length === parts.length
  const literalText = literals.join('')
  const render = (scope: ExpressionScope): string => {
    if (isLiteral) return literalText
    let text = ''
    for (const part of parts) {
      text += 'literal' in part ? part.literal : renderText(evaluate(part.expression, scope))
      if (text.length > limits.templateMaxChars) throw new TemplateError('a text became too long')
    }
    charge(text.length * nanosecondsPerCharacter)
    return text
  }
  const isOneExpression = parts.length === 1 && only && 'expression' in only
  return { literals, isLiteral, render, value: isOneExpression ? (scope) => evaluate(only.expression, scope) : render }
}

function evaluate(expression: Expression, scope: ExpressionScope): CelValue {
  const result = expression.evaluate(scope)
  if (isCelError(result)) throw new TemplateError('an expression in a text failed')
  return result
}

type Piece = { readonly literal: string } | { readonly expression: string; readonly offset: number }

/** Cuts at `${` and the `}` that belongs to it. `$${` stands for a literal `${`. */
function split(text: string): Piece[] | { unterminatedAt: number } {
  const pieces: Piece[] = []
  let literal = ''
  let offset = 0
  while (offset < text.length && pieces.length <= 2 * limits.templateMaxParts) {
    const open = text.indexOf('${', offset)
    if (open < 0) break
    if (text[open - 1] === '$' && open > offset) {
      literal += `${text.slice(offset, open - 1)}\${`
      offset = open + 2
      continue
    }
    const close = findClosingBrace(text, open + 2)
    if (close === undefined) return { unterminatedAt: open }
    literal += text.slice(offset, open)
    if (literal !== '') pieces.push({ literal })
    literal = ''
    pieces.push({ expression: text.slice(open + 2, close), offset: open + 2 })
    offset = close + 1
  }
  literal += text.slice(offset)
  if (literal !== '' || pieces.length === 0) pieces.push({ literal })
  return pieces
}

// A string literal of the language in any of its forms (raw ones have no escapes), or a brace.
const token =
  /[rR][bB]?(?:"""[^]*?"""|'''[^]*?'''|"[^"\n]*"|'[^'\n]*')|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\w+|[{}]/gy

function findClosingBrace(text: string, from: number): number | undefined {
  let depth = 0
  const end = Math.min(text.length, from + limits.expressionMaxChars + 1)
  for (let offset = from; offset < end;) {
    token.lastIndex = offset
    const match = token.exec(text)?.[0]
    if (match === '}' && depth-- === 0) return offset
    if (match === '{') depth++
    offset += match?.length ?? 1
  }
  return undefined
}

function compilePiece(piece: Piece, text: string, phase: Phase, findings: FindingsAt): Part | undefined {
  if ('literal' in piece) return piece
  const shift = (position?: TextPosition): TextPosition => positionAt(text, piece.offset + (position?.offset ?? 0))
  const expression = compileExpression(piece.expression, phase, {
    refuse: (code, message, position) => findings.refuse(code, message, shift(position)),
    warn: (code, message, position) => findings.warn(code, message, shift(position)),
  })
  return expression && { expression }
}
