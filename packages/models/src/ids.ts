const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ksuidEpochSeconds = 1_400_000_000
const ksuidLength = 27
const randomBits = 128
const tokenSecretLength = 21

/** `prefix_` + KSUID: 27 base62 digits of a 32-bit time (whole seconds) and 128 random bits. Sorts by time. */
export function mintId(prefix: string, nowMs: number): string {
  const seconds = BigInt(Math.floor(nowMs / 1000) - ksuidEpochSeconds)
  return `${prefix}_${base62((seconds << BigInt(randomBits)) | random128(), ksuidLength)}`
}

/** The prefix of a well-formed id, or null. */
export function idPrefix(text: string): string | null {
  return /^([a-z0-9]+)_[0-9A-Za-z]{27}$/.exec(text)?.[1] ?? null
}

/**
 * The id that stands `distance` behind another, whole and not negative: of the same time as long as the distance is far
 * below 2^128. What is made from one thing sorts with it, and leads back to it.
 */
export function idBehind(prefix: string, id: string, distance: number): string {
  let number = BigInt(distance)
  let place = 1n
  for (const digit of id.slice(-ksuidLength).split('').reverse()) {
    number += BigInt(digits.indexOf(digit)) * place
    place *= 62n
  }
  return `${prefix}_${base62(number, ksuidLength)}`
}

/** The token of an API key or authtoken: the KSUID of its id, `_`, and 125 random bits in base62. */
export function mintToken(id: string): string {
  const secret = base62(random128(), tokenSecretLength + 1).slice(-tokenSecretLength)
  return `${id.slice(id.indexOf('_') + 1)}_${secret}`
}

/** The KSUID and the secret of a token, or null when it is none. */
export function parseToken(text: string): { ksuid: string; secret: string } | null {
  const match = /^([0-9A-Za-z]{27})_([0-9A-Za-z]{20,22})$/.exec(text)
  return match === null ? null : { ksuid: match[1] ?? '', secret: match[2] ?? '' }
}

function random128(): bigint {
  return crypto.getRandomValues(new BigUint64Array(2)).reduce((value, part) => (value << 64n) | part, 0n)
}

function base62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text
  return text.padStart(length, '0')
}
