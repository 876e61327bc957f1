import { type EdgeModuleWrite, ServiceError } from '@tunnel/models'
import { webhookProviders } from '@tunnel/policy-engine'

/** Who can send webhooks that are verified. */
const providers = new Set(
  `aftership airship alchemy sns autodesk bitbucket bolt box brex buildkite calendly castle chargify circleci clearbit
  clerk coinbase contentful docusign dropbox facebook_graph_api facebook_messenger frameio github gitlab go1 heroku
  hostedhooks hubspot graphcms instagram intercom launch_darkly mailchimp mailgun microsoft_teams modern_treasury mongodb
  mux orb orbit pagerduty pinwheel plivo pusher sendgrid sentry shopify signal_sciences slack sonatype square stripe svix
  terraform tiktok trendmicro_conformity twilio twitter typeform vmware webex whatsapp worldline xero zendesk zoom`.split(
    /\s+/,
  ),
)

/** Signs with a public certificate instead of a shared secret. */
const withoutSecret = 'sns'

/** Throws for a provider that is unknown or cannot be verified, and for a secret that is missing or has no use. The provider is kept as it was sent. */
export function completeWebhookVerification<M extends EdgeModuleWrite<'webhook_verification'>>(module: M): M {
  const { provider, secret = '' } = module
  const name = provider.toLowerCase()
  if (!providers.has(name))
    throw new ServiceError('webhook_provider_unknown', { provider, known: [...providers].join(', ') })
  if (name === withoutSecret && secret !== '') throw new ServiceError('webhook_secret_unexpected', { provider })
  if (name !== withoutSecret && secret === '') throw new ServiceError('webhook_secret_missing', { provider })
  if (!(name in webhookProviders)) {
    const available = Object.keys(webhookProviders).join(', ')
    throw new ServiceError('webhook_provider_unavailable', { provider, available })
  }
  return module
}
