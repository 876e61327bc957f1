/** The IP policies that the restrictions of a policy document name, wherever they stand in it. */
export function namedIpPolicies(document: unknown): string[] {
  if (typeof document !== 'object' || document === null) return []
  const { type, config } = document as { type?: unknown; config?: { ip_policies?: unknown } | null }
  const named = type === 'restrict-ips' ? config?.ip_policies : undefined
  const own = Array.isArray(named) ? named.filter((id) => typeof id === 'string') : []
  return [...new Set([...own, ...Object.values(document).flatMap(namedIpPolicies)])]
}
