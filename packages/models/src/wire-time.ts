/** RFC 3339 in UTC with whole seconds, as in every reply. */
export function wireTime(epochMs: number): string {
  return `${new Date(Math.floor(epochMs / 1000) * 1000).toISOString().slice(0, 19)}Z`
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/**
 * Epoch milliseconds of an RFC 3339 timestamp with any offset, cut to the whole second; null when it is none.
 * `Date.parse` alone would take much else, and move the 31st of February into March.
 */
export function parseWireTime(text: string): number | null {
  const [, year, month, day, hour, minute, second, offset = ''] = rfc3339.exec(text) ?? []
  if (day === undefined || Number(day) > daysIn(Number(year), Number(month))) return null
  const epochMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset.toUpperCase()}`)
  return Number.isNaN(epochMs) || hour === '24' ? null : epochMs
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}
