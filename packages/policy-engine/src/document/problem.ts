import { limits } from './limits.ts'

/** Why a document is refused. Stable: clients may switch on it. */
export type ProblemCode =
  | 'bad_document'
  | 'unknown_key'
  | 'unknown_action'
  | 'action_unavailable'
  | 'wrong_phase'
  | 'wrong_protocol'
  | 'missing_field'
  | 'unknown_field'
  | 'wrong_type'
  | 'out_of_range'
  | 'too_long'
  | 'too_many'
  | 'invalid_header_name'
  | 'invalid_header_value'
  | 'header_not_allowed'
  | 'invalid_cidr'
  | 'unknown_ip_policy'
  | 'invalid_regex'
  | 'invalid_duration'
  | 'invalid_url'
  | 'expression_syntax'
  | 'unknown_variable'
  | 'variable_unavailable'
  | 'unknown_function'
  | 'no_overload'
  | 'not_boolean'
  | 'too_complex'
  | 'unterminated_template'
  | 'unreachable_action'
  | 'conflicting_fields'

/** What deserves a second look in a document that is accepted. */
export type WarningCode = 'deny_only_list' | 'anchored_path' | 'unguarded_index' | 'legacy_name'

/** A place inside a text: line and column count from 1, offset in UTF-16 units from 0. */
export interface TextPosition {
  readonly line: number
  readonly column: number
  readonly offset: number
}

/** The place is set where there is a text: the document when it came as one, and else the expression or template at the path. */
interface Finding<Code extends string> extends Partial<TextPosition> {
  /** JSON path from the document's root, such as `$.inbound[0].expressions[1]`. */
  readonly path: string
  readonly code: Code
  readonly message: string
}

export type Problem = Finding<ProblemCode>
export type Warning = Finding<WarningCode>

/** Collects what is wrong with one document, so that all of it is reported at once. */
export class Findings {
  readonly problems: Problem[] = []
  readonly warnings: Warning[] = []
  /** Turns a place within the expression or template at a path into the one to report. */
  placeOf: (path: string, within?: TextPosition) => TextPosition | undefined = (_path, within) => within

  refuse(path: string, code: ProblemCode, message: string, within?: TextPosition): void {
    if (this.problems.length < limits.problemsMax)
      this.problems.push({ path, code, message, ...this.placeOf(path, within) })
  }

  warn(path: string, code: WarningCode, message: string, within?: TextPosition): void {
    if (this.warnings.length < limits.problemsMax)
      this.warnings.push({ path, code, message, ...this.placeOf(path, within) })
  }
}

export function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1, offset }
}

/** Appends a key or an index to a JSON path. */
export function childPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return /^[A-Za-z_]\w*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`
}
