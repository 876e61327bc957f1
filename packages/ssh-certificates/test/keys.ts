import { type KeyObject, generateKeyPairSync } from 'node:crypto'
import { publicKeyOf } from '../src/index.ts'
import type { SshPublicKey } from '../src/index.ts'

/** One private key of each kind that may be an authority or a subject; made once, since RSA takes its time. */
export const privateKeys = {
  ed25519: generateKeyPairSync('ed25519').privateKey,
  'ecdsa p256': ecdsaKey('P-256'),
  'ecdsa p384': ecdsaKey('P-384'),
  'ecdsa p521': ecdsaKey('P-521'),
  'rsa 2048': rsaKey(2048),
  'rsa 3072': rsaKey(3072),
} as const

export type KeyName = keyof typeof privateKeys

export const keyNames = Object.keys(privateKeys) as KeyName[]

export function publicKeyNamed(name: KeyName): SshPublicKey {
  return publicKeyOf(privateKeys[name])
}

export function rsaKey(modulusLength: number): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength }).privateKey
}

function ecdsaKey(namedCurve: string): KeyObject {
  return generateKeyPairSync('ec', { namedCurve }).privateKey
}
