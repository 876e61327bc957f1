/** A policy to try, as an object or as JSON text, and made-up requests to try it on. */
export interface PolicyCheckInput {
  readonly policy: string | Readonly<Record<string, unknown>>
  readonly protocol?: 'http' | 'tcp' | 'tls'
  readonly requests?: readonly unknown[]
}

/** Something to correct (`problems`) or to know (`warnings`); place only where the policy was sent as text. */
export interface PolicyFinding {
  readonly path: string
  readonly code: string
  readonly message: string
  /** From 1 on. */
  readonly line?: number
  readonly column?: number
}

/** What a policy would do, one result for each request. */
export interface PolicyCheck {
  readonly problems: readonly PolicyFinding[]
  readonly warnings: readonly PolicyFinding[]
  readonly results: readonly PolicyTrial[]
}

export interface PolicyTrial {
  readonly rules: readonly PolicyRuleTrial[]
  /** `policy` or `upstream`. */
  readonly answered_by: string
  /** What the upstream gets; null when it is not asked. */
  readonly request: { readonly method: string; readonly url: string; readonly headers: Headers } | null
  /** What the visitor gets; null when the connection is closed. */
  readonly response: { readonly status_code: number; readonly headers: Headers; readonly body?: string } | null
  readonly error?: string
}

interface PolicyRuleTrial {
  readonly name: string
  readonly is_matched: boolean
  readonly expressions: readonly { readonly text: string; readonly value?: unknown; readonly error?: string }[]
  readonly actions: readonly { readonly type: string; readonly outcome: unknown }[]
}

type Headers = readonly (readonly [name: string, value: string])[]
