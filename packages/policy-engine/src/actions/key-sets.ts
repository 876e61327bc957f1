import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify, type JWTVerifyOptions } from 'jose'

const freshMs = 15 * 60_000
/** Between fetches that an unknown key asks for, so that made-up key ids cannot hammer the source. */
const cooldownMs = 30_000

type Fetch = (url: string) => Promise<unknown>

interface Loaded {
  readonly keys: ReturnType<typeof createLocalJWKSet>
  readonly atMs: number
}

/** The public keys of one source, fetched when needed and kept for a while. */
export class KeySet {
  readonly #url: string
  readonly #fetch: Fetch
  #loaded: Loaded | undefined
  #loading: Promise<Loaded> | undefined
  #triedAtMs = Number.NEGATIVE_INFINITY

  constructor(url: string, fetch: Fetch) {
    this.#url = url
    this.#fetch = fetch
  }

  /** The claims of a token that a key of this set signed; undefined when none did. Rejects when there are no keys to check with. */
  async verify(token: string, options: JWTVerifyOptions, nowMs: number): Promise<JWTPayload | undefined> {
    const loaded = await this.#load(nowMs, freshMs)
    const claims = await verifyWith(loaded, token, options)
    if (claims !== 'unknown_key') return claims
    if (nowMs - this.#triedAtMs < cooldownMs) return undefined
    const again = await verifyWith(await this.#load(nowMs, 0), token, options)
    return again === 'unknown_key' ? undefined : again
  }

  async #load(nowMs: number, maxAgeMs: number): Promise<Loaded> {
    const known = this.#loaded
    if (known && nowMs - known.atMs < maxAgeMs) return known
    if (known && nowMs - this.#triedAtMs < cooldownMs) return known
    this.#triedAtMs = nowMs
    this.#loading ??= this.#fetchKeys(nowMs).finally(() => (this.#loading = undefined))
    try {
      return await this.#loading
    } catch (error) {
      // Keys that were good outlive an outage of their source.
      if (known) return known
      throw error
    }
  }

  async #fetchKeys(nowMs: number): Promise<Loaded> {
    const document = await this.#fetch(this.#url)
    this.#loaded = { keys: createLocalJWKSet(document as JSONWebKeySet), atMs: nowMs }
    return this.#loaded
  }
}

async function verifyWith(
  { keys }: Loaded,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined | 'unknown_key'> {
  try {
    return (await jwtVerify(token, keys, options)).payload
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'unknown_key'
    // Without a key id every key of the right kind is tried.
    if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAny(error, token, options)
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

async function verifyWithAny(
  candidates: errors.JWKSMultipleMatchingKeys,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  for await (const key of candidates) {
    try {
      return (await jwtVerify(token, key, options)).payload
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
    }
  }
  return undefined
}
