import type { Problem } from './problem.ts'

/** What was being done when it failed: the same problem type means different things at different steps. */
export type AcmeStep = 'directory' | 'account' | 'order' | 'authorization' | 'finalize' | 'download' | 'renewal-info'

interface AcmeErrorDetails {
  /** Null: no answer, or one that cannot be read. */
  readonly problem: Problem | null
  /** How long the server wants to be left alone. */
  readonly retryAfterMs?: number | null
  readonly cause?: unknown
}

/** A failed conversation with the certificate authority. */
export class AcmeError extends Error {
  override readonly name = 'AcmeError'
  readonly step: AcmeStep
  readonly problem: Problem | null
  readonly retryAfterMs: number | null

  constructor(step: AcmeStep, { problem, retryAfterMs = null, cause }: AcmeErrorDetails) {
    super(describe(step, problem), { cause })
    this.step = step
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }
}

function describe(step: AcmeStep, problem: Problem | null): string {
  if (problem === null) return `The certificate authority could not be reached or understood (${step}).`
  return `The certificate authority answered ${problem.status} ${problem.type} to ${step}: ${problem.detail}`
}
