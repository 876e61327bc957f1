import { PolicySample } from '@tunnel/policy-engine'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { checkPolicy } from './check-policy.ts'
import type { PrivateHosts } from './private-hosts.ts'

const requestsMax = 10

const CheckBody = Type.Object(
  {
    policy: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
      description: 'The policy as an object, or as text in JSON or YAML.',
    }),
    protocol: Type.Optional(Type.Enum(['http', 'tcp', 'tls'], { default: 'http' })),
    requests: Type.Optional(
      Type.Array(PolicySample, { maxItems: requestsMax, description: 'Made-up requests to try the policy on.' }),
    ),
  },
  { additionalProperties: false },
)

/** `POST /policies/check`: try before you trust. An addition to the compatible API. */
export function policyRoutes(app: FastifyInstance, privateHosts: PrivateHosts): void {
  const schema = { summary: 'Check a policy and try it on requests', tags: ['policies'], body: CheckBody }
  app.post<{ Body: Static<typeof CheckBody> }>('/policies/check', { schema }, ({ body }) => {
    const { policy, protocol = 'http', requests = [] } = body
    return checkPolicy(policy, protocol, requests, privateHosts)
  })
}
