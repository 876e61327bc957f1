import { createHash, timingSafeEqual } from 'node:crypto'

/** What is stored of a token. Tokens carry 125 random bits, so a plain hash cannot be searched. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}

/** Takes the same time whatever the difference is. */
export function matchesHash(token: string, hash: string): boolean {
  const [given, expected] = [Buffer.from(hashToken(token)), Buffer.from(hash)]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
