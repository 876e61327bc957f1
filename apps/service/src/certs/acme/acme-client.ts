import type { AcmeAccount } from './acme-account.ts'
import { AcmeError, type AcmeStep } from './acme-error.ts'
import type { AcmeResponse, AcmeTransport } from './acme-transport.ts'
import { readProblem } from './problem.ts'
import { readRenewalInfo, type RenewalInfo } from './renewal-info.ts'

export type ChallengeType = 'dns-01' | 'http-01'

export interface OrderRequest {
  readonly names: readonly string[]
  /** A set of certificate properties that the authority offers; null takes its default. */
  readonly profile: string | null
  /** The certificate that this one renews, by its renewal id. */
  readonly replaces: string | null
}

export interface Order {
  readonly url: string
  readonly status: string
  readonly authorizations: readonly string[]
  readonly finalize: string
  readonly certificate: string | null
}

export interface Authorization {
  readonly url: string
  readonly name: string
  readonly isWildcard: boolean
  readonly status: string
  readonly challenges: readonly {
    readonly type: string
    readonly url: string
    readonly token: string
    readonly error: unknown
  }[]
}

/** The operations of RFC 8555 for one account; each call is one request. */
export class AcmeClient {
  readonly #transport: AcmeTransport
  readonly account: AcmeAccount

  constructor(transport: AcmeTransport, account: AcmeAccount) {
    this.#transport = transport
    this.account = account
  }

  async newOrder({ names, profile, replaces }: OrderRequest): Promise<Order> {
    const { newOrder } = await this.#transport.directory()
    const payload = {
      identifiers: names.map((value) => ({ type: 'dns', value })),
      ...(profile === null ? {} : { profile }),
      ...(replaces === null ? {} : { replaces }),
    }
    const response = await this.#post('order', newOrder, payload)
    const order = toOrder('order', response.location ?? '', response)
    if (order.authorizations.length <= names.length) return order
    throw new AcmeError('order', { problem: null, cause: new Error('more authorizations than names') })
  }

  async order(url: string): Promise<{ order: Order; retryAfterMs: number | null }> {
    const response = await this.#post('finalize', url)
    return { order: toOrder('finalize', url, response), retryAfterMs: response.retryAfterMs }
  }

  async authorization(url: string): Promise<{ authorization: Authorization; retryAfterMs: number | null }> {
    const response = await this.#post('authorization', url)
    return { authorization: toAuthorization(url, response), retryAfterMs: response.retryAfterMs }
  }

  /** Tells the authority that a challenge is ready to be checked. */
  async answerChallenge(url: string): Promise<void> {
    await this.#post('authorization', url, {})
  }

  async finalize(order: Order, csr: Buffer): Promise<Order> {
    const response = await this.#post('finalize', order.finalize, { csr: csr.toString('base64url') })
    return toOrder('finalize', order.url, response)
  }

  /** The chain as PEM, leaf first, as the authority delivers it. */
  async download(url: string): Promise<string> {
    const { body } = await this.#post('download', url)
    if (typeof body !== 'string' || !body.includes('-----BEGIN CERTIFICATE-----'))
      throw new AcmeError('download', { problem: null, cause: new Error('not a PEM chain') })
    return body
  }

  /** Null when the authority gives no renewal information. */
  async renewalInfo(renewalId: string): Promise<RenewalInfo | null> {
    const { renewalInfo } = await this.#transport.directory()
    if (renewalInfo === null) return null
    const { body, retryAfterMs } = await this.#transport.get('renewal-info', `${renewalInfo}/${renewalId}`)
    return readRenewalInfo(body, retryAfterMs)
  }

  #post(step: AcmeStep, url: string, payload?: object): Promise<AcmeResponse> {
    return this.#transport.post(step, url, this.account, payload)
  }
}

function toOrder(step: AcmeStep, url: string, { body, status }: AcmeResponse): Order {
  const fields = (body ?? {}) as Record<string, unknown>
  const { authorizations, finalize, certificate } = fields
  if (url === '' || !Array.isArray(authorizations) || typeof finalize !== 'string')
    throw new AcmeError(step, { problem: null, cause: new Error('not an order') })
  if (fields['status'] === 'invalid') throw new AcmeError(step, { problem: readProblem(fields['error'], status) })
  return {
    url,
    status: String(fields['status']),
    authorizations: authorizations.map(String),
    finalize,
    certificate: typeof certificate === 'string' ? certificate : null,
  }
}

function toAuthorization(url: string, { body }: AcmeResponse): Authorization {
  const { identifier, wildcard, status, challenges } = (body ?? {}) as Record<string, unknown>
  const name = (identifier as { value?: unknown } | undefined)?.value
  if (typeof name !== 'string' || !Array.isArray(challenges))
    throw new AcmeError('authorization', { problem: null, cause: new Error('not an authorization') })
  return {
    url,
    name,
    isWildcard: wildcard === true,
    status: String(status),
    challenges: challenges.map((entry: Record<string, unknown>) => ({
      type: String(entry['type']),
      url: String(entry['url']),
      token: String(entry['token']),
      error: entry['error'],
    })),
  }
}
