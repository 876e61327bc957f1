/** RFC 3339 in UTC with whole seconds, as in every reply. */
export function wireTime(epochMs: number): string {
  return `${new Date(Math.floor(epochMs / 1000) * 1000).toISOString().slice(0, 19)}Z`
}
