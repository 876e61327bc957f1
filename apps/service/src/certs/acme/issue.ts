import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { AcmeClient, Authorization, ChallengeType, Order, OrderRequest } from './acme-client.ts'
import { AcmeError } from './acme-error.ts'
import { type CertificateKeyType, requestCertificate } from './certificate-key.ts'
import { readProblem } from './problem.ts'

/** One name to prove control of. */
export interface Challenge {
  /** Without `*.`. */
  readonly name: string
  readonly token: string
  /** What http-01 serves (RFC 8555 8.1). */
  readonly keyAuthorization: string
  /** What dns-01 publishes (RFC 8555 8.4). */
  readonly textValue: string
}

export interface ChallengePresenter {
  readonly type: ChallengeType
  /** Publishes all challenges of an order at once and returns when the authority can see them; disposal withdraws them. */
  present(challenges: readonly Challenge[], signal: AbortSignal): Promise<AsyncDisposable>
}

export interface IssueRequest extends OrderRequest {
  readonly keyType: CertificateKeyType
}

export interface IssuedCertificate {
  /** Leaf first. */
  readonly chainPem: string
  readonly privateKeyPem: string
}

interface Conversation {
  readonly client: AcmeClient
  readonly presenter: ChallengePresenter
  readonly signal: AbortSignal
}

const tokenForm = /^[\w-]{1,256}$/
const pollFirstMs = 200
const pollGrowth = 1.5
const pollMaxMs = 5_000
const pollWithinMs = 120_000

/** Orders a certificate, proves control of its names and fetches it. Throws `AcmeError`; the signal ends it between two steps. */
export async function issueCertificate(conversation: Conversation, request: IssueRequest): Promise<IssuedCertificate> {
  const order = await conversation.client.newOrder(request)
  await authorize(conversation, order, new Set(request.names.map(withoutWildcard)))
  const { csr, privateKeyPem } = await requestCertificate(request.names, request.keyType)
  const chainPem = await finalize(conversation, order, csr)
  return { chainPem, privateKeyPem }
}

async function authorize(
  { client, presenter, signal }: Conversation,
  order: Order,
  names: ReadonlySet<string>,
): Promise<void> {
  const pending: { authorization: Authorization; challengeUrl: string; challenge: Challenge }[] = []
  for (const url of order.authorizations) {
    const { authorization } = await client.authorization(url)
    if (authorization.status === 'valid') continue
    if (!names.has(authorization.name.toLowerCase())) throw unfit('an authorization for a name that was not ordered')
    pending.push({ authorization, ...selectChallenge(authorization, presenter.type, client.account.thumbprint) })
  }
  if (pending.length === 0) return
  await using _presented = await presenter.present(
    pending.map(({ challenge }) => challenge),
    signal,
  )
  for (const { challengeUrl } of pending) await client.answerChallenge(challengeUrl)
  for (const { authorization } of pending) await untilAuthorized(client, authorization.url, signal)
}

function selectChallenge(
  { name, challenges }: Authorization,
  type: ChallengeType,
  thumbprint: string,
): { challengeUrl: string; challenge: Challenge } {
  const offered = challenges.find((challenge) => challenge.type === type)
  if (offered === undefined) throw unfit(`no ${type} for ${name}`)
  // We publish it: http-01 shows it at the name of a customer (RFC 8555 8.3).
  if (!tokenForm.test(offered.token)) throw unfit('a token that is none')
  const keyAuthorization = `${offered.token}.${thumbprint}`
  const textValue = createHash('sha256').update(keyAuthorization).digest('base64url')
  return { challengeUrl: offered.url, challenge: { name, token: offered.token, keyAuthorization, textValue } }
}

function withoutWildcard(name: string): string {
  return name.replace(/^\*\./, '')
}

/** The authority says something that no honest one says. */
function unfit(what: string): AcmeError {
  return new AcmeError('authorization', { problem: null, cause: new Error(what) })
}

async function untilAuthorized(client: AcmeClient, url: string, signal: AbortSignal): Promise<void> {
  await poll('authorization', signal, async () => {
    const { authorization, retryAfterMs } = await client.authorization(url)
    if (authorization.status === 'valid') return { done: true, value: undefined }
    if (authorization.status === 'pending') return { done: false, retryAfterMs }
    const failed = authorization.challenges.find((challenge) => challenge.error !== undefined)
    throw new AcmeError('authorization', { problem: readProblem(failed?.error, 403) })
  })
}

async function finalize({ client, signal }: Conversation, order: Order, csr: Buffer): Promise<string> {
  await client.finalize(order, csr)
  const certificateUrl = await poll('finalize', signal, async () => {
    const { order: current, retryAfterMs } = await client.order(order.url)
    if (current.certificate === null) return { done: false, retryAfterMs }
    return { done: true, value: current.certificate }
  })
  return client.download(certificateUrl)
}

type PollResult<T> =
  | { readonly done: true; readonly value: T }
  | { readonly done: false; readonly retryAfterMs: number | null }

async function poll<T>(
  step: 'authorization' | 'finalize',
  signal: AbortSignal,
  ask: () => Promise<PollResult<T>>,
): Promise<T> {
  let waited = 0
  for (let pauseMs = pollFirstMs; waited < pollWithinMs; pauseMs = Math.min(pollMaxMs, pauseMs * pollGrowth)) {
    const result = await ask()
    if (result.done) return result.value
    const waitMs = Math.max(pauseMs, Math.min(result.retryAfterMs ?? 0, pollMaxMs))
    await delay(waitMs, undefined, { signal })
    waited += waitMs
  }
  throw new AcmeError(step, { problem: null, cause: new Error(`still pending after ${waited} ms`) })
}
