import type { FastifyRequest } from 'fastify'

/** Who sends a request: an account, through one of its API keys or a sign-in at the dashboard. */
export interface Caller {
  readonly accountId: string
  /** Null for a person who is signed in at the dashboard. */
  readonly apiKeyId: string | null
  /** The person, or the owner of the key. */
  readonly ownerId: string
  /** Whether the owner is a person, who may manage bot users and owners. */
  readonly isAdmin: boolean
}

/** What the API needs to know a caller. Throws `ServiceError` for a key that is malformed, unknown or inactive. */
export interface ApiKeyVerifier {
  verify(token: string): Promise<Caller>
}

/** Knows the people who are signed in at the dashboard. Null: the request carries no valid sign-in. */
export interface SignInReader {
  read(request: FastifyRequest): Promise<Caller | null>
}

/** Throws `ServiceError` `caller_address_refused` when the account does not let an address in. */
export type CheckAddress = (caller: Pick<Caller, 'accountId' | 'apiKeyId'>, address: string) => Promise<void>

/** What a resource learns about the request that it serves. */
export interface Call {
  readonly caller: Caller
  /** Absolute, without a slash at the end; `uri` fields begin with it. */
  readonly baseUrl: string
  /** Epoch milliseconds. */
  readonly now: number
  /** Where the request came from; absent when it is the operator's. */
  readonly address?: string
  /** The id of the resource in whose collection the path leads. */
  readonly parentId?: string
}

/** Reads a request behind the API key. */
export type CallReader = (request: FastifyRequest) => Call
