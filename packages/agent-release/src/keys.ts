import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

/** What a signature is for: a text signed for one purpose is worth nothing for the other. */
export type Purpose = 'release' | 'release-key'

/** A public key as it is written down: SPKI, base64. */
export type PublicKeyText = string

export function generateSigningKey(): { readonly privatePem: string; readonly publicKey: PublicKeyText } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { privatePem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), publicKey: textOf(publicKey) }
}

export function publicKeyOf(privatePem: string): PublicKeyText {
  return textOf(createPublicKey(createPrivateKey(privatePem)))
}

/** The first 16 hex digits of the key's SHA-256. */
export function keyIdOf(publicKey: PublicKeyText): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex').slice(0, 16)
}

export function signText(purpose: Purpose, text: string, privatePem: string): string {
  return sign(null, message(purpose, text), createPrivateKey(privatePem)).toString('base64')
}

export function isSignedBy(purpose: Purpose, text: string, signature: string, publicKey: PublicKeyText): boolean {
  const key = readKey(publicKey)
  return key !== null && verify(null, message(purpose, text), key, Buffer.from(signature, 'base64'))
}

function message(purpose: Purpose, text: string): Buffer {
  return Buffer.from(`tunnel-agent ${purpose} 1\n${text}`)
}

function readKey(publicKey: PublicKeyText): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}

function textOf(key: KeyObject): PublicKeyText {
  return key.export({ type: 'spki', format: 'der' }).toString('base64')
}
