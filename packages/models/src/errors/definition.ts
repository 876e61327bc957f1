/** Who has to act on a failure; also the label under which it is counted. */
export type ErrorOwner = 'caller' | 'visitor' | 'agent' | 'upstream' | 'service'

/** One row of the error catalogue. */
export interface ErrorDefinition {
  /** The n of `ERR_SERVICE_n`, or null where clients expect no code (404s). Never reused. */
  readonly code: number | null
  /** HTTP status of the reply that carries it. */
  readonly status: number
  readonly owner: ErrorOwner
  /** Whether the same request may succeed later without a change by the caller. */
  readonly retryable: boolean
  /** Text for the caller: what is wrong and what to do. `{name}` marks a placeholder. */
  readonly msg: string
}

type DefinitionInput = Omit<ErrorDefinition, 'retryable'> & { readonly retryable?: boolean }

/** Declares one area of the catalogue; `retryable` defaults to false. */
export function defineErrors<const T extends Record<string, DefinitionInput>>(
  table: T,
): { readonly [K in keyof T]: ErrorDefinition & { readonly msg: T[K]['msg'] } } {
  const complete = Object.entries(table).map(([reason, row]) => [reason, { retryable: false, ...row }] as const)
  return Object.fromEntries(complete) as { [K in keyof T]: ErrorDefinition & { msg: T[K]['msg'] } }
}
