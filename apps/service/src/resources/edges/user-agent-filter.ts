import { ServiceError } from '@tunnel/models'

/** Throws for the first pattern that is no regular expression. */
export function checkPatterns(field: string, patterns: readonly string[]): void {
  for (const pattern of patterns)
    try {
      new RegExp(pattern, 'u')
    } catch (error) {
      const problem = `holds "${pattern.slice(0, 80)}", which is not a regular expression`
      throw new ServiceError('field_invalid', { field, problem }, { cause: error })
    }
}
