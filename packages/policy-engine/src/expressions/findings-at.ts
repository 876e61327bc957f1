import type { Findings, ProblemCode, TextPosition, WarningCode } from '../document/problem.ts'

/** Takes what is found in the text at one place of the document. */
export interface FindingsAt {
  refuse(code: ProblemCode, message: string, position?: TextPosition): void
  warn(code: WarningCode, message: string, position?: TextPosition): void
}

export function findingsAt(findings: Findings, path: string): FindingsAt {
  return {
    refuse: (code, message, position) => findings.refuse(path, code, message, position),
    warn: (code, message, position) => findings.warn(path, code, message, position),
  }
}
