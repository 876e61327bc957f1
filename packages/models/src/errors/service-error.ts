import type { ErrorCatalogue, ErrorReason } from './catalogue.ts'
import { errorCatalogue } from './catalogue.ts'
import type { ErrorDefinition } from './definition.ts'

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** The values that the text of a reason needs, by placeholder name. */
export type ErrorParams<R extends ErrorReason> = Record<Placeholders<ErrorCatalogue[R]['msg']>, string | number>

/** `cause` is for the log, `details` for programs: which field, which of several mistakes. */
export interface ServiceErrorOptions extends ErrorOptions {
  readonly details?: Readonly<Record<string, string>>
}

type ErrorArguments<R extends ErrorReason> = [Placeholders<ErrorCatalogue[R]['msg']>] extends [never]
  ? [params?: Record<string, never>, options?: ServiceErrorOptions]
  : [params: ErrorParams<R>, options?: ServiceErrorOptions]

/** A failure that has a row in the catalogue. `message` is safe to show to the caller; `cause` is for the log. */
export class ServiceError<R extends ErrorReason = ErrorReason> extends Error {
  override readonly name = 'ServiceError'
  readonly reason: R
  readonly definition: ErrorDefinition
  readonly details: Readonly<Record<string, string>>

  constructor(reason: R, ...[params, options]: ErrorArguments<R>) {
    const definition: ErrorDefinition = errorCatalogue[reason]
    super(fillPlaceholders(definition.msg, params ?? {}), options)
    this.reason = reason
    this.definition = definition
    this.details = options?.details ?? {}
  }
}

function fillPlaceholders(text: string, params: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole))
}
