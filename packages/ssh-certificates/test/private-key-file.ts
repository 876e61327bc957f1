import { type KeyObject, createPrivateKey } from 'node:crypto'
import { publicKeyOf } from '../src/index.ts'
import { WireWriter } from '../src/wire/writer.ts'

/** The text of a file that every `ssh-keygen` and `sshd` reads. */
export function privateKeyFile(key: KeyObject): string {
  const { d } = key.export({ format: 'jwk' })
  if (key.asymmetricKeyType === 'ed25519') return opensshPrivateKey(Buffer.from(d ?? '', 'base64url'))
  return key.export({ format: 'pem', type: 'pkcs8' }).toString()
}

/** The only format that OpenSSH 9.2 reads for Ed25519 (PROTOCOL.key of OpenSSH). */
export function opensshPrivateKey(seed: Buffer): string {
  const publicKey = publicKeyOf(ed25519FromSeed(seed))
  const point = publicKey.blob.subarray(-32)
  const secret = new WireWriter()
    .uint64(0n)
    .raw(publicKey.blob)
    .string(Buffer.concat([seed, point]))
    .string('')
  const length = secret.toBuffer().length
  for (let pad = 1; (length + pad - 1) % 8 !== 0; pad++) secret.uint8(pad)
  const file = new WireWriter().raw(Buffer.from('openssh-key-v1\0')).string('none').string('none').string('')
  file.uint32(1).string(publicKey.blob).string(secret.toBuffer())
  const begin = ['-----BEGIN OPENSSH', 'PRIVATE KEY-----'].join(' ')
  return `${begin}\n${file.toBuffer().toString('base64')}\n${begin.replace('BEGIN', 'END')}\n`
}

export function ed25519FromSeed(seed: Buffer): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  return createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' })
}
