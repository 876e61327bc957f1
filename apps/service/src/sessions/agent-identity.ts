import { createHmac, timingSafeEqual } from 'node:crypto'

/** What an agent keeps to be recognised again. */
export interface AgentIdentity {
  readonly clientId: string
  readonly cookie: string
}

/** Gives agents identities and recognises them. Nothing is stored: the cookie proves the id. */
export class AgentIdentities {
  readonly #key: Uint8Array
  readonly #mintId: (prefix: string) => string

  constructor(key: Uint8Array, mintId: (prefix: string) => string) {
    this.#key = key
    this.#mintId = mintId
  }

  /** The identity that is claimed, or a new one when the claim is absent, forged, or of another account. */
  recognise(accountId: string, claim: AgentIdentity | null): AgentIdentity {
    if (claim && this.#isGenuine(accountId, claim)) return claim
    const clientId = this.#mintId('agent')
    return { clientId, cookie: this.#cookieOf(accountId, clientId).toString('base64url') }
  }

  #isGenuine(accountId: string, { clientId, cookie }: AgentIdentity): boolean {
    const expected = this.#cookieOf(accountId, clientId)
    const given = Buffer.from(cookie, 'base64url')
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  #cookieOf(accountId: string, clientId: string): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([accountId, clientId]))
      .digest()
  }
}
