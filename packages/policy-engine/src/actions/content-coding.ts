import type { ContentCoding } from '../message/response-message.ts'

/** The coding that the visitor likes best among those offered, in the offered order for equal likes (RFC 9110, section 12.5.3). */
export function negotiateCoding(
  acceptEncoding: readonly string[],
  offered: readonly ContentCoding[],
): ContentCoding | undefined {
  const weights = parseWeights(acceptEncoding.join(','))
  const anyWeight = weights.get('*') ?? 0
  const weightOf = (coding: string): number => weights.get(coding) ?? anyWeight
  const identityWeight = weights.get('identity') ?? 0
  let best: ContentCoding | undefined
  for (const coding of offered) {
    if (weightOf(coding) > (best === undefined ? 0 : weightOf(best))) best = coding
  }
  return best !== undefined && weightOf(best) >= identityWeight ? best : undefined
}

function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const entry of header.split(',')) {
    const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    const weight =
      quality === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0
    if (coding !== '') weights.set(coding === 'x-gzip' ? 'gzip' : coding, weight)
  }
  return weights
}
