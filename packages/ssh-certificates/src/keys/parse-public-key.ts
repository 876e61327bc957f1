import { WireReader } from '../wire/reader.ts'
import { isAlgorithmName } from './algorithms.ts'
import { type PublicKeyMistake, PublicKeyError } from './public-key-error.ts'
import { type SshPublicKey, readPublicKey } from './public-key.ts'

const publicKeyMaxBytes = 16_384

/**
 * Takes one line of `authorized_keys` form (`type base64 [comment]`) and nothing else: no options, no second key.
 * Throws `PublicKeyError` with a mistake of its own for each way in which people and programs get it wrong.
 */
export function parsePublicKey(text: string): SshPublicKey {
  const line = singleLine(text)
  const words = line.split(/[ \t]+/)
  const [type = '', base64 = ''] = words
  const mistake = typeMistake(words)
  if (mistake) throw new PublicKeyError(mistake)
  const blob = decodeBase64(base64)
  if (innerType(blob) !== type) throw new PublicKeyError('type_mismatch')
  return readPublicKey(blob)
}

function singleLine(text: string): string {
  if (Buffer.byteLength(text) > publicKeyMaxBytes) throw new PublicKeyError('too_long')
  const line = text.trim()
  if (line === '') throw new PublicKeyError('missing')
  if (/PRIVATE KEY|PuTTY-User-Key-File/.test(line)) throw new PublicKeyError('private_key')
  if (/^-{4,}\s*BEGIN/.test(line)) throw new PublicKeyError('pem')
  if (/[\r\n]/.test(line)) throw new PublicKeyError('several_lines')
  if (/[^\P{Cc}\t]/u.test(line)) throw new PublicKeyError('control_character')
  return line
}

function typeMistake([type = '', ...rest]: readonly string[]): PublicKeyMistake | undefined {
  if (isAlgorithmName(type)) return rest.length === 0 ? 'no_key_data' : undefined
  if (rest.some(isAlgorithmName)) return 'option_prefix'
  if (type.includes('-cert-v0')) return 'certificate'
  if (type.startsWith('sk-')) return 'hardware_key'
  if (type === 'ssh-dss') return 'dsa'
  return rest.length === 0 ? 'no_key_type' : 'unknown_type'
}

function decodeBase64(text: string): Buffer {
  const blob = Buffer.from(text, 'base64')
  if (blob.toString('base64') !== text) throw new PublicKeyError('bad_base64')
  return blob
}

function innerType(blob: Buffer): string {
  try {
    return new WireReader(blob).text()
  } catch {
    throw new PublicKeyError('truncated')
  }
}
