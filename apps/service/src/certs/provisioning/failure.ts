import { AcmeError, type AcmeStep } from '../acme/acme-error.ts'
import type { Problem } from '../acme/problem.ts'

/** Who has to act: `DNS_ERROR` the owner of the domain, `INTERNAL_ERROR` nobody but us and time. */
export type FailureCode = 'DNS_ERROR' | 'INTERNAL_ERROR'

/** A failed attempt, as the API shows it. */
export interface Failure {
  readonly code: FailureCode
  readonly msg: string
  readonly retryAfterMs: number
}

/** A record of the customer is missing or wrong; the message says which and what it must be. */
export class DnsProblem extends Error {
  override readonly name = 'DnsProblem'
}

const detailMaxChars = 300
const internalMsg = 'The certificate could not be obtained at the moment. It is tried again without your doing.'

/** What the authority found wrong with the names, as opposed to with us. */
const nameProblems = {
  order: new Set(['dns', 'caa', 'rejectedIdentifier', 'unsupportedIdentifier']),
  authorization: new Set([
    'dns',
    'caa',
    'unauthorized',
    'connection',
    'tls',
    'incorrectResponse',
    'rejectedIdentifier',
    'unsupportedIdentifier',
  ]),
  finalize: new Set(['dns', 'caa']),
} as const

/** Sorts a failure by where it arose: `unauthorized` at a challenge is the customer's, at our account it is ours. */
export function failureOf(error: unknown): Failure {
  if (error instanceof DnsProblem) return { code: 'DNS_ERROR', msg: error.message, retryAfterMs: 0 }
  if (!(error instanceof AcmeError)) return { code: 'INTERNAL_ERROR', msg: internalMsg, retryAfterMs: 0 }
  const retryAfterMs = error.retryAfterMs ?? 0
  if (error.problem === null || !concernsNames(error.step, error.problem))
    return { code: 'INTERNAL_ERROR', msg: internalMsg, retryAfterMs }
  return { code: 'DNS_ERROR', msg: nameMsg(error.problem), retryAfterMs }
}

function concernsNames(step: AcmeStep, { type, subproblems }: Problem): boolean {
  const types: ReadonlySet<string> | undefined =
    step === 'order' || step === 'authorization' || step === 'finalize' ? nameProblems[step] : undefined
  if (types === undefined) return false
  const isAllSubproblems =
    subproblems.length > 0 && subproblems.every((part) => nameProblems.authorization.has(part.type))
  return types.has(type) || (type === 'compound' && isAllSubproblems)
}

function nameMsg({ detail, subproblems }: Problem): string {
  const details =
    subproblems.length > 0 ? subproblems.map((part) => `${part.identifier ?? ''}: ${part.detail}`) : [detail]
  return `The certificate authority could not verify the domain: ${details.join('; ').slice(0, detailMaxChars)}`
}
