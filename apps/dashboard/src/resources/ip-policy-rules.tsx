import { api } from '../api/client.ts'
import { useState } from 'react'
import { useListing } from '../api/queries.ts'
import { ApiCommand } from '../resource/api-command.tsx'
import { ResourceForm } from '../resource/resource-form.tsx'
import { commonFields, type FieldSpec } from '../resource/resource-view.ts'
import type { IpPolicyRule } from '@tunnel/models'
import { Button } from '../ui/button.tsx'
import { ConfirmDelete } from '../ui/confirm-delete.tsx'
import { type DataColumn, DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { TextField } from '../ui/field.tsx'
import { parseAddress, rangeHolds } from './address-range.ts'

const fields: readonly FieldSpec[] = [
  { kind: 'text', name: 'cidr', label: 'Range', isRequired: true, hint: 'Such as 192.0.2.0/24 or 2001:db8::/32.' },
  {
    kind: 'choice',
    name: 'action',
    label: 'Action',
    isRequired: true,
    options: [
      { id: 'allow', label: 'Allow' },
      { id: 'deny', label: 'Deny' },
    ],
  },
  ...commonFields,
]

const columns: readonly DataColumn<IpPolicyRule>[] = [
  { id: 'cidr', title: 'Range', text: (rule) => rule.cidr },
  { id: 'action', title: 'Action', text: (rule) => rule.action },
  { id: 'description', title: 'Description', text: (rule) => rule.description ?? '' },
  {
    id: 'delete',
    title: 'Remove',
    text: () => '',
    cell: (rule) => (
      <ConfirmDelete
        remove={() => api.ipPolicyRules.delete(rule.id)}
        name={rule.cidr}
        label="Remove"
        consequence="The range is judged by the other rules from the next request on."
      />
    ),
  },
]

type NewRule = Parameters<typeof api.ipPolicyRules.create>[0]

/** The rules of one policy, with a box that tells how the policy would decide about an address. */
export function IpPolicyRules({ policyId }: { readonly policyId: string }) {
  const { data } = useListing(api.ipPolicyRules)
  const rules = (data ?? []).filter((rule) => rule.ip_policy.id === policyId)
  return (
    <section>
      <header className="page-header">
        <h2>Rules</h2>
        <Dialog title="New rule" trigger={<Button look="primary">New rule</Button>}>
          {(close) => (
            <ResourceForm
              fields={fields}
              source={{ action: 'allow' }}
              save={(body) => api.ipPolicyRules.create({ ...(body as unknown as NewRule), ip_policy_id: policyId })}
              submitLabel="Add rule"
              onDone={close}
              onCancel={close}
            />
          )}
        </Dialog>
      </header>
      {data !== undefined && rules.length === 0 && (
        <Empty title="No rule yet">
          <p>No address passes until a rule allows it.</p>
          <ApiCommand
            path={api.ipPolicyRules.path}
            example={{ fields: () => ({ ip_policy_id: policyId, cidr: '192.0.2.0/24', action: 'allow' }) }}
          />
        </Empty>
      )}
      {rules.length > 0 && <DataTable label="Rules" items={rules} columns={columns} />}
      <AddressCheck rules={rules} />
    </section>
  )
}

function AddressCheck({ rules }: { readonly rules: readonly IpPolicyRule[] }) {
  const [address, setAddress] = useState('')
  return (
    <section className="card">
      <h2>Would this address pass?</h2>
      <TextField label="Address" value={address} onChange={setAddress} />
      <output>{address === '' ? '' : verdict(rules, address.trim())}</output>
    </section>
  )
}

function verdict(rules: readonly IpPolicyRule[], address: string): string {
  const parsed = parseAddress(address)
  if (parsed === null) return 'That is not an IP address.'
  const matching = rules.filter((rule) => rangeHolds(rule.cidr, parsed))
  const denial = matching.find((rule) => rule.action === 'deny')
  if (denial !== undefined) return `Refused: ${denial.cidr} denies it.`
  const allowance = matching.find((rule) => rule.action === 'allow')
  return allowance === undefined ? 'Refused: no rule allows it.' : `Passes: ${allowance.cidr} allows it.`
}
