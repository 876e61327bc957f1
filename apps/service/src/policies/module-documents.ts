import type { EdgeModuleWrite } from '@tunnel/models'
import { readPolicyText } from './read-policy-text.ts'

/** The modules of a route that work as policies, in the order in which they see a request. Responses pass them in reverse. */
export const policyModuleNames = [
  'webhook_verification',
  'compression',
  'response_headers',
  'request_headers',
  'policy',
  'traffic_policy',
  // Next to the backend: what it counts is what the backend did.
  'circuit_breaker',
] as const

export type PolicyModuleName = (typeof policyModuleNames)[number]

/** Modules as they are stored. */
export type PolicyModules = {
  readonly [N in PolicyModuleName]?: EdgeModuleWrite<N> & { readonly enabled: boolean }
}

const circuitDefaults = { seconds: 10, buckets: 10, volume: 20, share: 0.5 }

/** Every module in the form of a policy document. Throws for a text that cannot be read. */
export const moduleDocuments: { readonly [N in PolicyModuleName]: (module: EdgeModuleWrite<N>) => unknown } = {
  webhook_verification: ({ provider, secret = '' }) =>
    onRequest([{ type: 'verify-webhook', config: { provider: provider.toLowerCase(), secret: literal(secret) } }]),
  compression: () => ({ outbound: [{ actions: [{ type: 'compress-response' }] }] }),
  response_headers: (module) => ({ outbound: headerRules(module) }),
  request_headers: (module) => ({ inbound: headerRules(module) }),
  policy: ({ inbound = [], outbound = [] }) => ({ inbound, outbound }),
  traffic_policy: ({ value }) => readPolicyText(value),
  circuit_breaker: (module) =>
    onRequest([
      {
        type: 'circuit-breaker',
        config: {
          tripped_duration: `${module.tripped_duration ?? circuitDefaults.seconds}s`,
          window_duration: `${module.rolling_window ?? circuitDefaults.seconds}s`,
          num_buckets: module.num_buckets ?? circuitDefaults.buckets,
          volume_threshold: Math.max(1, module.volume_threshold ?? circuitDefaults.volume),
          error_threshold: module.error_threshold_percentage ?? circuitDefaults.share,
        },
      },
    ]),
}

function onRequest(actions: readonly object[]): object {
  return { inbound: [{ actions }] }
}

/** Removed first, so that a header can be replaced. */
function headerRules({ add = {}, remove = [] }: EdgeModuleWrite<'request_headers'>): object[] {
  const headers = Object.fromEntries(Object.entries(add).map(([name, value]) => [name, literal(value)]))
  const removing = remove.length === 0 ? [] : [{ type: 'remove-headers', config: { headers: remove } }]
  const adding = Object.keys(add).length === 0 ? [] : [{ type: 'add-headers', config: { headers } }]
  const actions = [...removing, ...adding]
  return actions.length === 0 ? [] : [{ actions }]
}

/** Modules have no expressions: what looks like one stands for itself. */
function literal(text: string): string {
  return text.replaceAll('${', () => '$${')
}
