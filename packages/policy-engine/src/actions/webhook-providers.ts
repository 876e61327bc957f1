import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { RequestMessage } from '../message/request-message.ts'

/** A webhook call, with its body whole. */
export interface WebhookCall {
  readonly request: RequestMessage
  readonly body: Uint8Array
  readonly secret: string
  readonly nowMs: number
}

/** How far the clock of a sender may be off, and how long a captured call stays useful. */
const toleranceMs = 300_000

/** How each provider proves that a call is its own. */
export const webhookProviders: Readonly<Record<string, (call: WebhookCall) => boolean>> = {
  github: ({ request, body, secret }) =>
    isEqual(single(request, 'x-hub-signature-256'), `sha256=${hmac('sha256', secret, body).toString('hex')}`),
  gitlab: ({ request, secret }) => isEqual(single(request, 'x-gitlab-token'), secret),
  shopify: ({ request, body, secret }) =>
    isEqual(single(request, 'x-shopify-hmac-sha256'), hmac('sha256', secret, body).toString('base64')),
  slack,
  stripe,
  svix,
  twilio,
}

function slack({ request, body, secret, nowMs }: WebhookCall): boolean {
  const timestamp = single(request, 'x-slack-request-timestamp')
  const expected = `v0=${hmac('sha256', secret, `v0:${timestamp}:`, body).toString('hex')}`
  return isRecent(timestamp, nowMs) && isEqual(single(request, 'x-slack-signature'), expected)
}

function stripe({ request, body, secret, nowMs }: WebhookCall): boolean {
  const pairs = (single(request, 'stripe-signature') ?? '').split(',').map((pair) => pair.trim().split('='))
  const timestamp = pairs.find(([key]) => key === 't')?.[1]
  const expected = hmac('sha256', secret, `${timestamp}.`, body).toString('hex')
  return isRecent(timestamp, nowMs) && pairs.some(([key, signature]) => key === 'v1' && isEqual(signature, expected))
}

function svix({ request, body, secret, nowMs }: WebhookCall): boolean {
  const timestamp = single(request, 'svix-timestamp')
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = `v1,${hmac('sha256', key, `${single(request, 'svix-id')}.${timestamp}.`, body).toString('base64')}`
  const signatures = (single(request, 'svix-signature') ?? '').split(' ')
  return isRecent(timestamp, nowMs) && signatures.some((signature) => isEqual(signature, expected))
}

/** Forms are signed with their fields in order of name; other bodies through a digest in the address. */
function twilio({ request, body, secret }: WebhookCall): boolean {
  const signature = single(request, 'x-twilio-signature')
  const bodyDigest = request.queryParameters.get('bodySHA256')?.[0]
  if (bodyDigest !== undefined) {
    const isBodyRight = isEqual(bodyDigest.toLowerCase(), createHash('sha256').update(body).digest('hex'))
    return isBodyRight && isEqual(signature, hmac('sha1', secret, request.originalUrl).toString('base64'))
  }
  const isForm = (request.headers.first('content-type') ?? '').startsWith('application/x-www-form-urlencoded')
  const fields = isForm
    ? [...new URLSearchParams(Buffer.from(body).toString())].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    : []
  const signed = request.originalUrl + fields.map(([name, value]) => name + value).join('')
  return (isForm || body.length === 0) && isEqual(signature, hmac('sha1', secret, signed).toString('base64'))
}

/** The value of a header that occurs exactly once. */
function single(request: RequestMessage, name: string): string | undefined {
  const values = request.headers.all(name)
  return values.length === 1 ? values[0] : undefined
}

function hmac(algorithm: string, key: string | Uint8Array, ...parts: (string | Uint8Array)[]): Buffer {
  const mac = createHmac(algorithm, key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

function isRecent(seconds: string | undefined, nowMs: number): boolean {
  return seconds !== undefined && /^\d{1,12}$/.test(seconds) && Math.abs(Number(seconds) * 1000 - nowMs) <= toleranceMs
}

/** Constant time for equal lengths; an empty or missing text equals nothing. */
function isEqual(presented: string | undefined, expected: string): boolean {
  if (presented === undefined || expected === '') return false
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(presented), digest(expected))
}
