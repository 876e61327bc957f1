/** A problem document (RFC 7807, RFC 8555 6.7), kept whole; text that is not one becomes its `detail`. */
export interface Problem {
  /** `dns`, `unauthorized`, …: the type without its namespace; empty when the server sent none. */
  readonly type: string
  readonly detail: string
  readonly status: number
  readonly subproblems: readonly Problem[]
  /** The name that a subproblem is about. */
  readonly identifier: string | null
}

const namespace = 'urn:ietf:params:acme:error:'
const detailMaxChars = 500
const subproblemsMax = 100

export function readProblem(body: unknown, status: number): Problem {
  const subproblems = (body as { subproblems?: unknown } | null | undefined)?.subproblems
  const parts = Array.isArray(subproblems) ? subproblems.slice(0, subproblemsMax) : []
  return { ...readSingle(body, status), subproblems: parts.map((part) => readSingle(part, status)) }
}

/** A subproblem has no subproblems (RFC 8555 6.7.1). */
function readSingle(body: unknown, status: number): Problem {
  if (typeof body === 'string') return { ...noProblem(status), detail: body.slice(0, detailMaxChars) }
  if (typeof body !== 'object' || body === null) return noProblem(status)
  const { type, detail, identifier } = body as Record<string, unknown>
  return {
    ...noProblem(status),
    type: typeof type === 'string' ? type.replace(namespace, '') : '',
    detail: typeof detail === 'string' ? detail.slice(0, detailMaxChars) : '',
    identifier: identifierOf(identifier),
  }
}

function noProblem(status: number): Problem {
  return { type: '', detail: '', status, subproblems: [], identifier: null }
}

function identifierOf(identifier: unknown): string | null {
  const value = (identifier as { value?: unknown } | null | undefined)?.value
  return typeof value === 'string' ? value : null
}
