/** What ends a phase early. An action that lets the exchange go on gives undefined. */
export type Outcome =
  | {
      readonly kind: 'respond'
      readonly status: number
      /** Lower-case name and value; valid as they stand. */
      readonly headers: readonly (readonly [name: string, value: string])[]
      readonly body: string
      /** Whether the rules of the response phase see this answer. */
      readonly runsResponsePhase: boolean
    }
  | { readonly kind: 'close' }
  | {
      readonly kind: 'forward'
      /** Address of another tunnel of the same account. */
      readonly url: string
    }

/** An answer of the policy itself: no body, nothing runs after it. */
export function refusal(status: number, headers: readonly (readonly [string, string])[] = []): Outcome {
  return { kind: 'respond', status, headers, body: '', runsResponsePhase: false }
}
