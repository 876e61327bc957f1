import { defineErrors } from './definition.ts'

/** IP policies, their rules, and account-wide restrictions. */
export const ipPolicyErrors = defineErrors({
  ip_policy_patch_empty: {
    code: 1400,
    status: 400,
    owner: 'caller',
    msg: 'The request changes nothing. Send at least one of {supported}.',
  },
  ip_rule_patch_empty: {
    code: 1401,
    status: 400,
    owner: 'caller',
    msg: 'The request changes nothing. Send at least one of {supported}.',
  },
  ip_policy_not_found: {
    code: 1402,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} refers to the IP policy {id}, which does not exist in this account.',
  },
  ip_rule_field_missing: { code: 1405, status: 400, owner: 'caller', msg: 'The field {field} {problem}.' },
  cidr_invalid: {
    code: 1406,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Write a network such as 192.0.2.0/24 or 2001:db8::/32.',
  },
  cidr_taken: {
    code: 1408,
    status: 400,
    owner: 'caller',
    msg: 'The policy has a rule for {value} already. Change or delete that one.',
  },
  cidr_not_lowest: {
    code: 1409,
    status: 400,
    owner: 'caller',
    msg: '{cidr} is not the lowest address of its network. Write {suggestion}.',
  },
  cidr_without_mask: {
    code: 1413,
    status: 400,
    owner: 'caller',
    msg: '{cidr} has no mask. Write {suggestion} for this one address.',
  },
  ip_policy_in_use: {
    code: 1420,
    status: 400,
    owner: 'caller',
    msg: 'The IP policy {id} is still used by {dependents}. Delete or change those first.',
  },
  ip_rule_description_too_long: {
    code: 1421,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Shorten the description.',
  },
  ip_rule_action_invalid: { code: 1422, status: 400, owner: 'caller', msg: 'The field {field} {problem}.' },
  caller_address_refused: {
    code: 220,
    status: 403,
    owner: 'caller',
    msg: 'The account does not let the address {address} use its {surface}.',
  },
  ip_restriction_locks_out: {
    code: 90_310,
    status: 400,
    owner: 'caller',
    msg: 'This would shut out your own address {address} from the {type}. Allow it in one of the policies first.',
  },
  ip_restriction_policies_too_many: {
    code: 1800,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Join rules into fewer policies.',
  },
  ip_restriction_policy_missing: {
    code: 1801,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} refers to the IP policy {id}, which does not exist in this account.',
  },
  ip_restriction_taken: {
    code: 1802,
    status: 400,
    owner: 'caller',
    msg: 'The account has a restriction of type {value} already. Change that one.',
  },
  ip_restriction_type_invalid: { code: 1803, status: 400, owner: 'caller', msg: 'The field {field} {problem}.' },
  ip_restriction_without_policy: {
    code: 1804,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} needs at least one IP policy.',
  },
})
