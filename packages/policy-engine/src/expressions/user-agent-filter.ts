import { BudgetExhausted, WorkBudget, workFor } from './budget.ts'
import { compilePattern, type Pattern } from './pattern.ts'

/** Bounds the work of patterns; programs that mean well are far below it. */
const userAgentMaxChars = 1024

/** Who may call by the User-Agent header: an allowed pattern wins over a denied one, and no name at all must be allowed. */
export class UserAgentFilter {
  readonly #allowed: readonly Pattern[]
  readonly #denied: readonly Pattern[]

  /** Patterns are RE2 expressions that match anywhere in the text. Throws for one that is none. */
  constructor(allow: readonly string[], deny: readonly string[]) {
    this.#allowed = allow.map(compilePattern)
    this.#denied = deny.map(compilePattern)
  }

  /** `userAgent` is empty when the header is missing. What is too long or too much work to judge is refused. */
  isAllowed(userAgent: string): boolean {
    if (userAgent.length > userAgentMaxChars) return false
    workFor(new WorkBudget())
    try {
      if (this.#allowed.some((pattern) => pattern.test(userAgent))) return true
      return userAgent !== '' && !this.#denied.some((pattern) => pattern.test(userAgent))
    } catch (error) {
      if (error instanceof BudgetExhausted) return false
      throw error
    }
  }
}

/** Why a pattern cannot be used, or undefined. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
