import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { MasterKeys } from './master-keys.ts'

const nonceBytes = 12
const tagBytes = 16

/** A secret as it is stored: base64 of nonce, AES-256-GCM ciphertext and tag, and which master key it needs. */
export interface Sealed {
  readonly keyId: string
  readonly sealed: string
}

/** Where a secret lives. It is sealed to that place: copied to another row or column it does not open. */
export interface SecretPlace {
  readonly resourceId: string
  readonly name: string
}

/** Encrypts secrets at rest. */
export class Sealer {
  readonly #keys: MasterKeys

  constructor(keys: MasterKeys) {
    this.#keys = keys
  }

  get currentKeyId(): string {
    return this.#keys.current.id
  }

  seal(plain: string, place: SecretPlace): Sealed {
    const { id, key } = this.#keys.current
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(placeBytes(place))
    const parts = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return { keyId: id, sealed: Buffer.concat(parts).toString('base64') }
  }

  /** Throws when the key is gone, or when the secret was altered or moved. */
  open({ keyId, sealed }: Sealed, place: SecretPlace): string {
    const master = this.#keys.find(keyId)
    if (master === undefined) throw new Error(`The master key ${keyId} is missing from the master key file.`)
    const bytes = Buffer.from(sealed, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', master.key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(placeBytes(place)).setAuthTag(bytes.subarray(-tagBytes))
    return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  }
}

function placeBytes({ resourceId, name }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify(['secrets', resourceId, name]))
}
