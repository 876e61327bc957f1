import { Type } from 'typebox'
import type { Template } from '../expressions/template.ts'
import { CidrSet, isCidr } from '../net/cidr-set.ts'
import { refusal } from '../run/outcome.ts'
import type { PolicyExchange } from '../run/policy-exchange.ts'
import type { IpPolicy } from '../run/policy-host.ts'
import { type ActionContext, defineAction } from './action.ts'

const listMax = 10_000

export const restrictIps = defineAction({
  type: 'restrict-ips',
  phases: ['request', 'response', 'connect'],
  summary:
    'Lets only listed addresses in. The address is that of the connection, never one from a header. It has to be in an allowed block and in no denied one; others get 403, or a closed connection on TCP and TLS tunnels.',
  config: Type.Object(
    {
      enforce: Type.Optional(Type.Boolean({ default: true, description: 'False: only sets the result variables.' })),
      allow: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: listMax,
          description: 'Blocks or single addresses that may enter. May contain `${…}`.',
        }),
      ),
      deny: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: listMax,
          description: 'Blocks that may not; they win over `allow`. May contain `${…}`.',
        }),
      ),
      ip_policies: Type.Optional(
        Type.Array(Type.String(), { maxItems: 100, description: 'Ids of IP policies (`ipp_…`) of the account.' }),
      ),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'The office, except its guest network',
      config: { allow: ['203.0.113.0/24', '2001:db8::/32'], deny: ['203.0.113.128/25'] },
      sample: { client_ip: '203.0.113.200' },
    },
  ],
  onFailure: 'refuse',
  compile({ enforce = true, allow = [], deny = [], ip_policies: ids = [] }, context) {
    if (allow.length + deny.length + ids.length === 0)
      context.refuse([], 'missing_field', 'restrict-ips needs allow, deny or ip_policies')
    if (deny.length > 0 && allow.length + ids.length === 0) {
      context.warn(
        ['deny'],
        'deny_only_list',
        'without allow nobody is let in: add allow: ["0.0.0.0/0", "::/0"] to refuse only the denied',
      )
    }
    const allowed = compileList(allow, 'allow', context)
    const denied = compileList(deny, 'deny', context)
    const policies = compilePolicies(ids, context)
    return (exchange) => {
      const { action, cidr } = decide(exchange, allowed, denied, policies)
      exchange.setResult('restrict_ips', () => ({ action, matched_cidr: cidr }))
      if (action === 'allow' || !enforce) return undefined
      return context.phase === 'connect' ? { kind: 'close' } : refusal(403)
    }
  },
})

type Find = (exchange: PolicyExchange) => string | undefined

interface Decision {
  readonly action: 'allow' | 'deny'
  readonly cidr: string
}

function decide(exchange: PolicyExchange, allowed: Find, denied: Find, policies: readonly IpPolicy[]): Decision {
  const deniedBy = denied(exchange)
  if (deniedBy !== undefined) return { action: 'deny', cidr: deniedBy }
  const decisions = policies.flatMap((policy) => policy.decide(exchange.connection.clientIp) ?? [])
  const denial = decisions.find(({ action }) => action === 'deny')
  if (denial) return denial
  const allowedBy = allowed(exchange)
  if (allowedBy !== undefined) return { action: 'allow', cidr: allowedBy }
  return decisions[0] ?? { action: 'deny', cidr: '' }
}

/** Literal blocks are compiled once; those with expressions are looked at for each exchange. */
function compileList(blocks: readonly string[], name: string, context: ActionContext): Find {
  const literal: string[] = []
  const templates: Template[] = []
  blocks.forEach((text, index) => {
    if (text.includes('${')) templates.push(context.template([name, index], text))
    else if (isCidr(text)) literal.push(text)
    else context.refuse([name, index], 'invalid_cidr', `'${text}' is not an address block such as 10.0.0.0/8`)
  })
  const set = new CidrSet(literal)
  return ({ connection, scope }) => {
    const found = set.find(connection.clientIp)
    if (found !== undefined || templates.length === 0) return found
    return new CidrSet(templates.map((template) => template.render(scope))).find(connection.clientIp)
  }
}

function compilePolicies(ids: readonly string[], context: ActionContext): IpPolicy[] {
  const { ipPolicy } = context.host
  if (!ipPolicy) return []
  return ids.flatMap((id, index) => {
    const policy = ipPolicy(id)
    if (!policy) context.refuse(['ip_policies', index], 'unknown_ip_policy', `there is no IP policy ${id}`)
    return policy ?? []
  })
}
