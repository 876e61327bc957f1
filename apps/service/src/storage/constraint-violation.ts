import { SpanOccupied } from './guards.ts'

/** What a change would have broken: a unique value, a reference, or a span that is one account's alone. */
export type Violation = 'unique' | 'reference' | 'span'

/** Which guarantee of the database a statement would have broken, or null for any other failure. */
export function constraintViolation(error: unknown): Violation | null {
  if (!(error instanceof Error)) return null
  if (error instanceof SpanOccupied) return 'span'
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  if (code === postgresCodes.unique || errcode === sqliteCodes.unique || errcode === sqliteCodes.primaryKey)
    return 'unique'
  if (code === postgresCodes.reference || errcode === sqliteCodes.reference) return 'reference'
  return null
}

const postgresCodes = { unique: '23505', reference: '23503' }
const sqliteCodes = { unique: 2067, primaryKey: 1555, reference: 787 }
