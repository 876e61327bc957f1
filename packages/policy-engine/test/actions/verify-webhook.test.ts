import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { compile, oneAction, problemsOf, RecordingHost, runRequest, type Sample } from '../harness.ts'

const secret = 'it is a secret'
const body = '{"hello":"world"}'
const seconds = Math.floor(new RecordingHost().nowMs / 1000)
const url = 'https://app.example.com/hook?a=1'
const hmac = (algorithm: string, key: string | Buffer, text: string, encoding: 'hex' | 'base64') =>
  createHmac(algorithm, key).update(text).digest(encoding)

/** Headers of a genuine call, made the way each provider documents. */
const genuine: Record<string, (at: number) => Sample> = {
  github: () => ({ url, body, headers: { 'X-Hub-Signature-256': `sha256=${hmac('sha256', secret, body, 'hex')}` } }),
  gitlab: () => ({ url, body, headers: { 'X-Gitlab-Token': secret } }),
  shopify: () => ({ url, body, headers: { 'X-Shopify-Hmac-Sha256': hmac('sha256', secret, body, 'base64') } }),
  slack: (at) => ({
    url,
    body,
    headers: {
      'X-Slack-Request-Timestamp': `${at}`,
      'X-Slack-Signature': `v0=${hmac('sha256', secret, `v0:${at}:${body}`, 'hex')}`,
    },
  }),
  stripe: (at) => ({
    url,
    body,
    headers: {
      'Stripe-Signature': `t=${at},v1=${'0'.repeat(64)},v1=${hmac('sha256', secret, `${at}.${body}`, 'hex')}`,
    },
  }),
  svix: (at) => ({
    url,
    body,
    headers: {
      'svix-id': 'msg_1',
      'svix-timestamp': `${at}`,
      'svix-signature': `v1,AAAA v1,${hmac('sha256', Buffer.from(secret, 'base64'), `msg_1.${at}.${body}`, 'base64')}`,
    },
  }),
  twilio: () => {
    const signedUrl = `${url}&bodySHA256=${createHash('sha256').update(body).digest('hex')}`
    return { url: signedUrl, body, headers: { 'X-Twilio-Signature': hmac('sha1', secret, signedUrl, 'base64') } }
  },
}

const verify = (provider: string, fields: object = {}) => oneAction('verify-webhook', { provider, secret, ...fields })

async function status(provider: string, sample: Sample): Promise<number | undefined> {
  const { outcome } = await runRequest(compile(verify(provider), new RecordingHost()), { method: 'POST', ...sample })
  return outcome?.kind === 'respond' ? outcome.status : undefined
}

describe.each(Object.entries(genuine))('verify-webhook for %s', (provider, call) => {
  const sample = call(seconds)

  it('lets a genuine call through', async () => expect(await status(provider, sample)).toBeUndefined())

  it('refuses a call without its header, and one whose header is doubled', async () => {
    expect(await status(provider, { ...sample, headers: {} })).toBe(403)
    const headers = Object.entries(sample.headers ?? {}) as [string, string][]
    expect(await status(provider, { ...sample, headers: [...headers, ...headers] })).toBe(403)
  })

  it('refuses another secret', async () => {
    const policy = compile(verify(provider, { secret: 'another secret' }), new RecordingHost())
    expect((await runRequest(policy, { method: 'POST', ...sample })).outcome).toMatchObject({ status: 403 })
  })

  it.skipIf(provider === 'gitlab')('refuses a changed body', async () =>
    expect(await status(provider, { ...sample, body: `${body} ` })).toBe(403),
  )

  it.runIf(['slack', 'stripe', 'svix'].includes(provider))('refuses a replay after five minutes', async () => {
    expect(await status(provider, call(seconds - 299))).toBeUndefined()
    expect(await status(provider, call(seconds - 301))).toBe(403)
    expect(await status(provider, call(seconds + 301))).toBe(403)
  })
})

describe('verify-webhook', () => {
  it('checks the fields of a Twilio form in order of name', async () => {
    const form = {
      'content-type': 'application/x-www-form-urlencoded',
      'X-Twilio-Signature': hmac('sha1', secret, `${url}AfirstBsecond`, 'base64'),
    }
    expect(await status('twilio', { url, body: 'B=second&A=first', headers: form })).toBeUndefined()
    expect(await status('twilio', { url, body: 'B=second&A=other', headers: form })).toBe(403)
  })

  it('does not take a Twilio body that its signature leaves out', async () => {
    const headers = { 'content-type': 'application/json', 'X-Twilio-Signature': hmac('sha1', secret, url, 'base64') }
    expect(await status('twilio', { url, body, headers })).toBe(403)
  })

  it('refuses the request when the body is too large, cannot be read, or the secret cannot be worked out', async () => {
    expect(await status('github', { body: 'x'.repeat(1024 * 1024 + 1), headers: genuine.github!(0).headers! })).toBe(
      500,
    )
    expect((await runRequest(compile(verify('github')))).outcome).toMatchObject({ status: 500 })
    expect((await runRequest(compile(verify('gitlab', { secret: '${vars.nope}' })), { body })).outcome).toMatchObject({
      status: 500,
    })
  })

  it('takes an empty secret for none', async () => {
    const policy = compile(verify('gitlab', { secret: "${''}" }))
    expect((await runRequest(policy, { body, headers: { 'x-gitlab-token': '' } })).outcome).toMatchObject({
      status: 403,
    })
  })

  it('only reports when it does not enforce', async () => {
    const rules = [
      { actions: [{ type: 'verify-webhook', config: { provider: 'github', secret, enforce: false } }] },
      {
        expressions: ['!actions.service.verify_webhook.verified'],
        actions: [{ type: 'deny', config: { status_code: 418 } }],
      },
    ]
    expect((await runRequest(compile({ inbound: rules }), { body })).outcome).toMatchObject({ status: 418 })
  })

  it.each([
    [{ provider: 'nobody', secret }, 'provider', 'out_of_range'],
    [{ provider: 'github' }, 'secret', 'missing_field'],
    [{ provider: 'github', secret: '' }, 'secret', 'out_of_range'],
  ])('refuses %j', (fields, path, code) => {
    expect(problemsOf(oneAction('verify-webhook', fields))).toContainEqual(
      expect.objectContaining({ path: `$.inbound[0].actions[0].config.${path}`, code }),
    )
  })
})
