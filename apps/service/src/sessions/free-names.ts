import { createHmac } from 'node:crypto'

const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567'
const LABEL_LENGTH = 12

/**
 * The free names of binds that ask for none: unguessable, and the same ones whenever the same agent binds the same id again,
 * so that a device keeps its address through restarts of either side without anything stored.
 */
export class FreeNames {
  readonly #key: Uint8Array
  readonly #zone: string

  constructor(key: Uint8Array, zone: string) {
    this.#key = key
    this.#zone = zone
  }

  /** A number below 2^32 with the same quality, for choosing a port. */
  numberFor(agent: { readonly accountId: string; readonly clientId: string }, bindId: string): number {
    return this.#digest(agent, bindId).readUInt32BE(LABEL_LENGTH)
  }

  nameFor(agent: { readonly accountId: string; readonly clientId: string }, bindId: string): string {
    return `${base32(this.#digest(agent, bindId))}.${this.#zone}`
  }

  #digest(agent: { readonly accountId: string; readonly clientId: string }, bindId: string): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([agent.accountId, agent.clientId, bindId]))
      .digest()
  }
}

function base32(digest: Uint8Array): string {
  return Array.from(digest.subarray(0, LABEL_LENGTH), (byte) => DIGITS.charAt(byte & 31)).join('')
}
