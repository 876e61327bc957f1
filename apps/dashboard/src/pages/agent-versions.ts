const collator = new Intl.Collator('en', { numeric: true })

/** The newest of the versions, and how many are older. */
export function outdated(versions: readonly string[]): { readonly newest: string; readonly count: number } {
  const newest = versions.reduce((best, version) => (collator.compare(version, best) > 0 ? version : best), '')
  return { newest, count: versions.filter((version) => version !== newest).length }
}
