import { type KeyObject, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { ServiceError } from '@tunnel/models'
import type { KeyKind } from './key-kind.ts'

const waitingMax = 16
const generate = promisify(generateKeyPair)

/** Makes private keys off the event loop; RSA, which occupies a thread for seconds, one at a time. */
export class KeyGenerator {
  readonly #make: (kind: KeyKind) => Promise<KeyObject>
  #previous: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(make: (kind: KeyKind) => Promise<KeyObject> = makeKey) {
    this.#make = make
  }

  /** Throws `too_many_in_flight` when too many wait for an RSA key already. */
  async privateKey(kind: KeyKind): Promise<KeyObject> {
    return kind.type === 'rsa' ? this.#inTurn(() => this.#make(kind)) : this.#make(kind)
  }

  async #inTurn(make: () => Promise<KeyObject>): Promise<KeyObject> {
    if (this.#waiting >= waitingMax) throw new ServiceError('too_many_in_flight')
    this.#waiting += 1
    const made = this.#previous.then(make).finally(() => (this.#waiting -= 1))
    this.#previous = made.catch(() => undefined)
    return made
  }
}

async function makeKey(kind: KeyKind): Promise<KeyObject> {
  switch (kind.type) {
    case 'ed25519':
      return (await generate('ed25519', {})).privateKey
    case 'ecdsa':
      return (await generate('ec', kind)).privateKey
    case 'rsa':
      return (await generate('rsa', kind)).privateKey
  }
}
