import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { type PublicKeyMistake, formatPublicKey } from '../src/index.ts'
import { WireWriter } from '../src/wire/writer.ts'
import { publicKeyNamed, rsaKey } from './keys.ts'
import { opensshPrivateKey } from './private-key-file.ts'
import { publicKeyOf } from '../src/keys/public-key.ts'

const ed25519 = formatPublicKey(publicKeyNamed('ed25519'))
const p256 = publicKeyNamed('ecdsa p256').blob
const point = p256.subarray(-65)
const modulus = rsaKey(2048).export({ format: 'jwk' }).n ?? ''
const oddNumber = Buffer.from(modulus, 'base64url')
const evenNumber = Buffer.concat([oddNumber.subarray(0, -1), Buffer.of(2)])
const threeOrMore = Buffer.of(1, 0, 1)
const pkcs8 = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()

function line(type: string, write: (blob: WireWriter) => WireWriter, innerType = type): string {
  return `${type} ${write(new WireWriter().string(innerType)).toBuffer().toString('base64')} x`
}

function rsaLine(exponent: Buffer, n: Buffer): string {
  return line('ssh-rsa', (blob) => blob.mpint(exponent).mpint(n))
}

function pointLine(bytes: Buffer, curve = 'nistp256'): string {
  return line('ecdsa-sha2-nistp256', (blob) => blob.string(curve).string(bytes))
}

/** What people and programs send instead of a public key, with the one mistake that each is told. */
export const badPublicKeys: readonly (readonly [what: string, text: string, mistake: PublicKeyMistake])[] = [
  ['nothing', '', 'missing'],
  ['blanks', ' \t\r\n ', 'missing'],
  ['a very long comment', `${ed25519} ${'x'.repeat(16_384)}`, 'too_long'],
  ['an OpenSSH private key', opensshPrivateKey(randomBytes(32)), 'private_key'],
  ['a PKCS#8 private key', pkcs8, 'private_key'],
  ['a private key on one line', pkcs8.replaceAll('\n', ' '), 'private_key'],
  ['a PuTTY private key', 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none', 'private_key'],
  ['a public key in PEM', '-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----', 'pem'],
  ['a public key in RFC 4716 form', '---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END', 'pem'],
  ['an X.509 certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----', 'pem'],
  ['two keys', `${ed25519}\n${ed25519}`, 'several_lines'],
  ['two keys after a CR', `${ed25519}\r${ed25519}`, 'several_lines'],
  ['a comment line before the key', `# router\n${ed25519}`, 'several_lines'],
  ['NUL in the comment', `${ed25519} a\0b`, 'control_character'],
  ['an escape sequence in the comment', `${ed25519} \u001B[31m`, 'control_character'],
  ['an option before the key', `no-pty ${ed25519}`, 'option_prefix'],
  ['a quoted option with blanks', `command="ls -l" ${ed25519}`, 'option_prefix'],
  ['a known_hosts line', `router.example.com ${ed25519}`, 'option_prefix'],
  ['a word', 'hello', 'no_key_type'],
  ['base64 without a type', ed25519.split(' ')[1]!, 'no_key_type'],
  ['a type without data', 'ssh-ed25519', 'no_key_data'],
  ['base64 with a stray character', `${ed25519}!`, 'bad_base64'],
  ['base64url', pointLine(point).replaceAll('A', '-'), 'bad_base64'],
  ['base64 without its padding', line('ssh-ed25519', (blob) => blob.string('x')).replace('=', ''), 'bad_base64'],
  ['data that ends in a length', 'ssh-ed25519 AAAA', 'truncated'],
  ['data that ends in the type', 'ssh-ed25519 AAAAC3Nz', 'truncated'],
  ['data that ends in the key', line('ssh-ed25519', (blob) => blob.uint32(32).raw(Buffer.alloc(31))), 'truncated'],
  ['another type inside', line('ssh-rsa', (blob) => blob.string(Buffer.alloc(32)), 'ssh-ed25519'), 'type_mismatch'],
  ['bytes after the key', line('ssh-ed25519', (blob) => blob.string(Buffer.alloc(32)).uint8(0)), 'trailing_bytes'],
  ['an even RSA modulus', rsaLine(threeOrMore, evenNumber), 'rsa_number'],
  ['a negative RSA modulus', line('ssh-rsa', (blob) => blob.mpint(threeOrMore).string(oddNumber)), 'rsa_number'],
  ['an RSA modulus with needless zeros', zeroPaddedRsa(), 'rsa_number'],
  ['an even RSA exponent', rsaLine(Buffer.of(4), oddNumber), 'rsa_number'],
  ['RSA exponent one', rsaLine(Buffer.of(1), oddNumber), 'rsa_number'],
  ['an RSA exponent as long as the modulus', rsaLine(oddNumber, oddNumber), 'rsa_number'],
  ['an RSA modulus of zero', rsaLine(threeOrMore, Buffer.of(0)), 'rsa_number'],
  ['an Ed25519 key of 31 bytes', line('ssh-ed25519', (blob) => blob.string(Buffer.alloc(31))), 'ed25519_length'],
  ['an Ed25519 key of 33 bytes', line('ssh-ed25519', (blob) => blob.string(Buffer.alloc(33))), 'ed25519_length'],
  ['a P-256 type around another curve', pointLine(point, 'nistp384'), 'curve_mismatch'],
  ['a compressed point', pointLine(Buffer.concat([Buffer.of(2), point.subarray(1, 33)])), 'point_format'],
  ['the point at infinity', pointLine(Buffer.of(0)), 'point_format'],
  ['a point of another curve', pointLine(publicKeyNamed('ecdsa p384').blob.subarray(-97)), 'point_format'],
  [
    'a point off the curve',
    pointLine(Buffer.concat([point.subarray(0, -1), Buffer.of(point.at(-1)! ^ 1)])),
    'point_off_curve',
  ],
  ['an OpenSSH certificate', 'ssh-ed25519-cert-v01@openssh.com AAAA', 'certificate'],
  ['a security key', 'sk-ssh-ed25519@openssh.com AAAA', 'hardware_key'],
  ['a DSA key', 'ssh-dss AAAA', 'dsa'],
  ['an unknown type', 'ssh-ed448 AAAA', 'unknown_type'],
  ['an X.509 key type', 'x509v3-ssh-rsa AAAA', 'unknown_type'],
  ['RSA with 1024 bits', formatPublicKey(publicKeyOf(rsaKey(1024))), 'rsa_too_small'],
  [
    'RSA with 2047 bits',
    rsaLine(threeOrMore, Buffer.concat([Buffer.of(0x7f), oddNumber.subarray(1)])),
    'rsa_too_small',
  ],
  ['RSA with more than 16384 bits', rsaLine(threeOrMore, Buffer.alloc(2_049, 0xff)), 'rsa_too_large'],
]

function zeroPaddedRsa(): string {
  const padded = Buffer.concat([Buffer.alloc(2), oddNumber])
  return line('ssh-rsa', (blob) => blob.mpint(threeOrMore).string(padded))
}
