import { Type } from 'typebox'
import { refusal } from '../run/outcome.ts'
import { defineAction } from './action.ts'
import { webhookProviders } from './webhook-providers.ts'

const bodyMaxBytes = 1024 * 1024
const secretMaxChars = 4096

export const verifyWebhook = defineAction({
  type: 'verify-webhook',
  phases: ['request'],
  summary:
    'Lets only genuine calls of a webhook provider through and answers 403 to others. The body is read up to 1 MiB to check its signature; where the provider signs a time, calls are good for five minutes.',
  config: Type.Object(
    {
      provider: Type.Enum(Object.keys(webhookProviders), { description: 'Who calls.' }),
      secret: Type.String({
        minLength: 1,
        maxLength: secretMaxChars,
        description: 'Secret that was agreed with the provider. May contain `${…}`.',
      }),
      enforce: Type.Optional(Type.Boolean({ default: true, description: 'False: only sets the result variables.' })),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Calls of GitHub',
      config: { provider: 'github', secret: 'the-shared-secret' },
      sample: { method: 'POST', headers: { 'X-Hub-Signature-256': 'sha256=0000' } },
    },
  ],
  onFailure: 'refuse',
  compile({ provider, secret, enforce = true }, context) {
    const template = context.template(['secret'], secret)
    const verify = webhookProviders[provider]
    return async (exchange) => {
      const { request } = exchange
      if (!request || !verify) throw new Error('there is no request to verify')
      const body = await readBody(request.facts.readBody)
      const key = template.render(exchange.scope)
      const isVerified = key !== '' && verify({ request, body, secret: key, nowMs: exchange.now() })
      exchange.setResult('verify_webhook', () => ({ verified: isVerified }))
      return isVerified || !enforce ? undefined : refusal(403)
    }
  },
})

async function readBody(read: ((maxBytes: number) => Promise<Uint8Array>) | undefined): Promise<Uint8Array> {
  if (!read) throw new Error('the body cannot be read here')
  return read(bodyMaxBytes)
}
