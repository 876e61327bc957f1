import type { SshPublicKey } from '../keys/public-key.ts'
import { WireWriter } from '../wire/writer.ts'

const magic = Buffer.from('SSHKRL\n\0')
const formatVersion = 1
const certificatesSection = 1
const keyIdSection = 0x23

/** The certificates of one authority, by key id, that are refused although they have not expired. */
export interface RevocationList {
  readonly authority: SshPublicKey
  readonly keyIds: readonly string[]
  /** Grows with every change; OpenSSH shows it and ignores it. */
  readonly version: bigint
  /** Seconds since 1970. */
  readonly generatedAt: bigint
  readonly comment: string
}

/** The list as `RevokedHostKeys` and `RevokedKeys` read it (PROTOCOL.krl of OpenSSH). */
export function encodeRevocationList(list: RevocationList): Buffer {
  const header = new WireWriter()
    .raw(magic)
    .uint32(formatVersion)
    .uint64(list.version)
    .uint64(list.generatedAt)
    .uint64(0n)
    .string('')
    .string(list.comment)
  if (list.keyIds.length > 0) header.uint8(certificatesSection).string(certificates(list))
  return header.toBuffer()
}

function certificates({ authority, keyIds }: RevocationList): Buffer {
  const ids = new WireWriter()
  for (const keyId of keyIds) ids.string(keyId)
  return new WireWriter().string(authority.blob).string('').uint8(keyIdSection).string(ids.toBuffer()).toBuffer()
}
