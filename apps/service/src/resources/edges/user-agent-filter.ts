import { ServiceError } from '@tunnel/models'

/** Throws for the first pattern that is no regular expression. */
export function checkPatterns(field: string, patterns: readonly string[]): void {
  const wrong = patterns.find((pattern) => !isRegularExpression(pattern))
  if (wrong === undefined) return
  const problem = `holds "${wrong.slice(0, 80)}", which is not a regular expression`
  throw new ServiceError('field_invalid', { field, problem })
}

function isRegularExpression(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, 'u'))
  } catch {
    return false
  }
}
