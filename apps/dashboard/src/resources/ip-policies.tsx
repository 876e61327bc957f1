import type { IpPolicy } from '@tunnel/models'
import { api } from '../api/client.ts'
import { commonFields, type ResourceView } from '../resource/resource-view.ts'
import { Time } from '../ui/time.tsx'
import { IpPolicyRules } from './ip-policy-rules.tsx'

export const ipPolicyView: ResourceView<IpPolicy> = {
  listing: api.ipPolicies,
  page: 'ip-policies',
  title: 'IP policies',
  singular: 'IP policy',
  intro:
    'Lists of address ranges that are allowed or denied. An address passes when an allow rule matches and no deny rule does.',
  empty: {
    text: 'Create a policy, add rules, then attach it to a route.',
    example: { fields: () => ({ description: 'offices' }) },
  },
  nameOf: (policy) => policy.description || policy.id,
  columns: [
    { id: 'description', title: 'Description', text: (policy) => policy.description ?? policy.id },
    {
      id: 'created',
      title: 'Created',
      text: (policy) => policy.created_at ?? '',
      cell: (policy) => <Time value={policy.created_at} />,
      width: 225,
    },
  ],
  fields: commonFields,
  details: () => [],
  more: (policy) => <IpPolicyRules policyId={policy.id} />,
  deleteConsequence: () => 'It can be deleted only while no restriction uses it. Its rules go with it.',
}
