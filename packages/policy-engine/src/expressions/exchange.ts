import type { CelInput } from '@bufbuild/cel'
import type { WorkBudget } from './budget.ts'
import type { ConnectionFacts, EndpointFacts } from '../message/connection.ts'
import type { RequestMessage } from '../message/request-message.ts'
import type { ResponseMessage } from '../message/response-message.ts'

/** The point in an exchange at which a rule runs. */
export type Phase = 'connect' | 'request' | 'response'

/** Everything that expressions can look at. Request and response are there from their phase on. */
export interface Exchange {
  readonly connection: ConnectionFacts
  readonly endpoint: EndpointFacts
  readonly request: RequestMessage | undefined
  readonly response: ResponseMessage | undefined
  /** Set by `set-vars` in this phase. */
  readonly vars: ReadonlyMap<string, CelInput>
  /** Results of actions by name below `actions.service`. */
  readonly results: ReadonlyMap<string, CelInput>
  readonly work: WorkBudget
  now(): number
  /** At least 0, less than 1. */
  random(): number
}
