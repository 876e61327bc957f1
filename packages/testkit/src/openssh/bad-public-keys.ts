import { generateKeyPairSync, randomBytes } from 'node:crypto'

/** A text, and the name of the mistake that a careful reader finds in it. */
export type BadPublicKey = readonly [what: string, text: string, mistake: string]

const ed25519 = line('ssh-ed25519', bytes(randomBytes(32)))
const exponent = Buffer.of(1, 0, 1)
const modulus = Buffer.concat([Buffer.of(0xff), randomBytes(254), Buffer.of(1)])
const evenNumber = Buffer.concat([modulus.subarray(0, -1), Buffer.of(2)])
const point = uncompressedPoint()
const pkcs8 = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const opensshPrivateKey = pkcs8.replaceAll('PRIVATE', 'OPENSSH PRIVATE')

/** What people and programs send instead of a public key. */
export const badPublicKeys: readonly BadPublicKey[] = [
  ['nothing', '', 'missing'],
  ['blanks', ' \t\r\n ', 'missing'],
  ['a very long comment', `${ed25519} ${'x'.repeat(16_384)}`, 'too_long'],
  ['an OpenSSH private key', opensshPrivateKey, 'private_key'],
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
  ['base64 with a stray character', ed25519.replace(' x', '! x'), 'bad_base64'],
  ['base64url', pointLine(point).replaceAll('A', '-'), 'bad_base64'],
  ['base64 without its padding', line('ssh-ed25519', bytes(Buffer.from('x'))).replace('=', ''), 'bad_base64'],
  ['data that ends in a length', 'ssh-ed25519 AAAA', 'truncated'],
  ['data that ends in the type', 'ssh-ed25519 AAAAC3Nz', 'truncated'],
  [
    'data that ends in the key',
    line('ssh-ed25519', Buffer.concat([Buffer.of(0, 0, 0, 32), Buffer.alloc(31)])),
    'truncated',
  ],
  ['another type inside', line('ssh-rsa', bytes(zeros(32)), 'ssh-ed25519'), 'type_mismatch'],
  ['bytes after the key', line('ssh-ed25519', Buffer.concat([bytes(zeros(32)), Buffer.of(0)])), 'trailing_bytes'],
  ['an even RSA modulus', rsaLine(exponent, evenNumber), 'rsa_number'],
  ['a negative RSA modulus', line('ssh-rsa', Buffer.concat([number(exponent), bytes(modulus)])), 'rsa_number'],
  [
    'an RSA modulus with needless zeros',
    line('ssh-rsa', Buffer.concat([number(exponent), bytes(Buffer.concat([zeros(2), modulus]))])),
    'rsa_number',
  ],
  ['an even RSA exponent', rsaLine(Buffer.of(4), modulus), 'rsa_number'],
  ['RSA exponent one', rsaLine(Buffer.of(1), modulus), 'rsa_number'],
  ['an RSA exponent as long as the modulus', rsaLine(modulus, modulus), 'rsa_number'],
  ['an RSA modulus of zero', rsaLine(exponent, Buffer.of(0)), 'rsa_number'],
  ['an Ed25519 key of 31 bytes', line('ssh-ed25519', bytes(zeros(31))), 'ed25519_length'],
  ['an Ed25519 key of 33 bytes', line('ssh-ed25519', bytes(zeros(33))), 'ed25519_length'],
  ['a P-256 type around another curve', pointLine(point, 'nistp384'), 'curve_mismatch'],
  ['a compressed point', pointLine(Buffer.concat([Buffer.of(2), point.subarray(1, 33)])), 'point_format'],
  ['the point at infinity', pointLine(Buffer.of(0)), 'point_format'],
  ['a point of another curve', pointLine(Buffer.concat([Buffer.of(4), zeros(96)])), 'point_format'],
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
  ['RSA with 1024 bits', rsaLine(exponent, Buffer.concat([Buffer.of(0xff), modulus.subarray(-127)])), 'rsa_too_small'],
  ['RSA with 2047 bits', rsaLine(exponent, Buffer.concat([Buffer.of(0x7f), modulus.subarray(1)])), 'rsa_too_small'],
  ['RSA with more than 16384 bits', rsaLine(exponent, Buffer.alloc(2_049, 0xff)), 'rsa_too_large'],
]

function rsaLine(e: Buffer, n: Buffer): string {
  return line('ssh-rsa', Buffer.concat([number(e), number(n)]))
}

function pointLine(q: Buffer, curve = 'nistp256'): string {
  return line('ecdsa-sha2-nistp256', Buffer.concat([bytes(Buffer.from(curve)), bytes(q)]))
}

function line(type: string, fields: Buffer, innerType = type): string {
  return `${type} ${Buffer.concat([bytes(Buffer.from(innerType)), fields]).toString('base64')} x`
}

/** A string of RFC 4251, section 5. */
function bytes(content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

/** An mpint of RFC 4251, section 5, from digits without leading zeros. */
function number(digits: Buffer): Buffer {
  return bytes((digits[0] ?? 0) < 0x80 ? digits : Buffer.concat([Buffer.of(0), digits]))
}

function zeros(length: number): Buffer {
  return Buffer.alloc(length)
}

function uncompressedPoint(): Buffer {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}
