import { ServiceError, isAclRule } from '@tunnel/models'

/** Throws for the first rule that is none. */
export function checkAcl(acl: readonly string[]): void {
  const wrong = acl.find((rule) => !isAclRule(rule))
  if (wrong !== undefined) throw new ServiceError('acl_rule_invalid', { rule: wrong })
}
