import { ServiceError } from '@tunnel/models'

/** The credential that wants to bind, and its rules. No rule at all allows everything. */
export interface BindPermissions {
  readonly credentialId: string
  readonly acl: readonly string[]
}

/** Throws `bind_name_refused` unless a rule allows the lower-case name, which may be a wildcard. */
export function requireNameAllowed({ credentialId, acl }: BindPermissions, name: string): void {
  if (allowsEverything(acl) || acl.some((rule) => nameRuleAllows(rule, name))) return
  throw new ServiceError('bind_name_refused', { credentialId, name })
}

/** Throws `bind_label_refused` unless every label is allowed by some rule. */
export function requireLabelsAllowed(
  { credentialId, acl }: BindPermissions,
  labels: Readonly<Record<string, string>>,
): void {
  if (allowsEverything(acl)) return
  for (const [key, value] of Object.entries(labels)) {
    if (acl.some((rule) => labelRuleAllows(rule, key, value))) continue
    throw new ServiceError('bind_label_refused', { credentialId, label: `${key}=${value}` })
  }
}

function allowsEverything(acl: readonly string[]): boolean {
  return acl.length === 0 || acl.includes('*') || acl.includes('bind:*')
}

/** `bind:a.b` is that name alone; `bind:*.b` is every name below b at any depth and the wildcard itself, never b. */
function nameRuleAllows(rule: string, name: string): boolean {
  const pattern = patternOf(rule)?.toLowerCase()
  if (!pattern || pattern.includes('=')) return false
  if (pattern.startsWith('*.')) return name.length > pattern.length - 1 && name.endsWith(pattern.slice(1))
  return name === pattern
}

function labelRuleAllows(rule: string, key: string, value: string): boolean {
  const pattern = patternOf(rule)
  const at = pattern?.indexOf('=') ?? -1
  if (!pattern || at < 0) return false
  return partAllows(pattern.slice(0, at), key) && partAllows(pattern.slice(at + 1), value)
}

function partAllows(pattern: string, part: string): boolean {
  return pattern === '*' || pattern === part
}

function patternOf(rule: string): string | null {
  return rule.startsWith('bind:') ? rule.slice('bind:'.length) : null
}
