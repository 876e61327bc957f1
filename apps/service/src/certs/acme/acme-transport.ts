import type { KeyObject } from 'node:crypto'
import { FlattenedSign, type FlattenedJWS, type JWK } from 'jose'
import { Agent, request } from 'undici'
import { AcmeError, type AcmeStep } from './acme-error.ts'
import { type Problem, readProblem } from './problem.ts'
import { retryAfterMs } from './retry-after.ts'

export interface AcmeTransportOptions {
  readonly directoryUrl: string
  /** PEM roots instead of the system's, for a private authority. */
  readonly caPem: string | null
  readonly nowMs: () => number
  /** For one request with its whole answer, however slowly it drips. */
  readonly requestWithinMs?: number
}

/** Who signs a request: the account by its URL, or, before it has one, by its public key. */
export interface AcmeSigner {
  readonly privateKey: KeyObject
  readonly identity: { readonly kid: string } | { readonly jwk: JWK }
}

export interface AcmeResponse {
  readonly status: number
  /** Parsed JSON, or the text when it is not JSON. */
  readonly body: unknown
  readonly location: string | null
  readonly retryAfterMs: number | null
}

/** The URLs of an authority (RFC 8555 7.1.1, RFC 9773 3). */
export interface AcmeDirectory {
  readonly newNonce: string
  readonly newAccount: string
  readonly newOrder: string
  readonly renewalInfo: string | null
  /** How CAA records name this authority; empty when it does not say. */
  readonly caaIdentities: readonly string[]
}

const defaultRequestWithinMs = 20_000
const responseMaxBytes = 1024 * 1024
const noncesMax = 16
/** A busy authority with several front ends refuses many; enough to get through one that refuses every second. */
const nonceAttempts = 15
const userAgent = 'tunnel-service acme'

/** Signed requests to one certificate authority, with its anti-replay nonces. */
export class AcmeTransport implements AsyncDisposable {
  readonly #options: AcmeTransportOptions
  readonly #agent: Agent
  readonly #scheme: string
  readonly #nonces: string[] = []
  #directory: Promise<AcmeDirectory> | undefined

  constructor(options: AcmeTransportOptions) {
    this.#options = options
    this.#scheme = new URL(options.directoryUrl).protocol
    this.#agent = new Agent({
      maxResponseSize: responseMaxBytes,
      connect: options.caPem === null ? {} : { ca: options.caPem },
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy()
  }

  /** Read once; a failure is not remembered. */
  directory(): Promise<AcmeDirectory> {
    this.#directory ??= this.#readDirectory().catch((error: unknown) => {
      this.#directory = undefined
      throw error
    })
    return this.#directory
  }

  async get(step: AcmeStep, url: string): Promise<AcmeResponse> {
    return this.#accept(step, await this.#send(step, url, { method: 'GET' }))
  }

  /** A signed POST; `payload` undefined is the authenticated read of RFC 8555 6.3. Nonces that are refused are replaced. */
  async post(step: AcmeStep, url: string, signer: AcmeSigner, payload?: object): Promise<AcmeResponse> {
    for (let attempt = 1; ; attempt++) {
      const body = JSON.stringify(await sign(signer, url, await this.#takeNonce(), payload))
      const response = await this.#send(step, url, { method: 'POST', body })
      const isStale = response.status === 400 && readProblem(response.body, 400).type === 'badNonce'
      if (!isStale || attempt === nonceAttempts) return this.#accept(step, response)
    }
  }

  async #readDirectory(): Promise<AcmeDirectory> {
    const { body } = await this.get('directory', this.#options.directoryUrl)
    const { newNonce, newAccount, newOrder, renewalInfo, meta } = (body ?? {}) as Record<string, unknown>
    if (typeof newNonce !== 'string' || typeof newAccount !== 'string' || typeof newOrder !== 'string')
      throw new AcmeError('directory', { problem: null, cause: new Error('not an ACME directory') })
    const { caaIdentities } = (meta ?? {}) as Record<string, unknown>
    return {
      newNonce,
      newAccount,
      newOrder,
      renewalInfo: typeof renewalInfo === 'string' ? renewalInfo : null,
      caaIdentities: Array.isArray(caaIdentities) ? caaIdentities.map((name) => String(name).toLowerCase()) : [],
    }
  }

  async #takeNonce(): Promise<string> {
    const spare = this.#nonces.pop()
    if (spare !== undefined) return spare
    const { newNonce } = await this.directory()
    await this.#send('directory', newNonce, { method: 'HEAD' })
    const fresh = this.#nonces.pop()
    if (fresh === undefined) throw new AcmeError('directory', { problem: null, cause: new Error('no nonce') })
    return fresh
  }

  #accept(step: AcmeStep, response: AcmeResponse): AcmeResponse {
    if (response.status < 400) return response
    const problem: Problem = readProblem(response.body, response.status)
    throw new AcmeError(step, { problem, retryAfterMs: response.retryAfterMs })
  }

  async #send(
    step: AcmeStep,
    url: string,
    message: { method: 'GET' | 'HEAD' | 'POST'; body?: string },
  ): Promise<AcmeResponse> {
    try {
      // Its answers name the URLs to go on with: none of them may lead out of TLS.
      if (new URL(url).protocol !== this.#scheme) throw new Error('the authority names a URL of another scheme')
      const { statusCode, headers, body } = await request(url, {
        ...message,
        signal: AbortSignal.timeout(this.#options.requestWithinMs ?? defaultRequestWithinMs),
        headers: { 'user-agent': userAgent, 'content-type': 'application/jose+json' },
        dispatcher: this.#agent,
      })
      const text = await body.text()
      this.#keepNonce(headers['replay-nonce'])
      return {
        status: statusCode,
        body: parse(text),
        location: single(headers['location']),
        retryAfterMs: retryAfterMs(single(headers['retry-after']), this.#options.nowMs()),
      }
    } catch (cause) {
      throw new AcmeError(step, { problem: null, cause })
    }
  }

  /** Also an error brings a fresh nonce (RFC 8555 6.5). */
  #keepNonce(header: string | string[] | undefined): void {
    const nonce = single(header)
    if (nonce !== null && this.#nonces.length < noncesMax) this.#nonces.push(nonce)
  }
}

function sign(signer: AcmeSigner, url: string, nonce: string, payload?: object): Promise<FlattenedJWS> {
  const octets = new TextEncoder().encode(payload === undefined ? '' : JSON.stringify(payload))
  const header = { alg: 'ES256', nonce, url, ...signer.identity }
  return new FlattenedSign(octets).setProtectedHeader(header).sign(signer.privateKey)
}

function single(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
