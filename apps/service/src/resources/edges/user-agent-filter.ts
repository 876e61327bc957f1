import { ServiceError } from '@tunnel/models'
import { patternProblem } from '@tunnel/policy-engine'

/** Throws for the first pattern that is no regular expression. */
export function checkPatterns(field: string, patterns: readonly string[]): void {
  const wrong = patterns.find((pattern) => patternProblem(pattern) !== undefined)
  if (wrong === undefined) return
  const problem = `holds "${wrong.slice(0, 80)}", which is not a regular expression of RE2: ${patternProblem(wrong)}`
  throw new ServiceError('field_invalid', { field, problem })
}
