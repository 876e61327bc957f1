import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PublicKeyError, formatPublicKey, parsePublicKey, publicKeyOf } from '../src/index.ts'
import { toKeyObject } from '../src/keys/public-key.ts'
import { keyNames, privateKeys, publicKeyNamed } from './keys.ts'
import { askSshKeygen, badPublicKeys, hasOpenSsh, sshKeygen } from '@tunnel/testkit'
import { workDirectory } from './work-directory.ts'

function mistakeIn(text: string): string {
  try {
    return `taken as ${parsePublicKey(text).algorithm}`
  } catch (error) {
    return error instanceof PublicKeyError ? error.mistake : `failed: ${String(error)}`
  }
}

function messageFor(text: string): string {
  try {
    return formatPublicKey(parsePublicKey(text))
  } catch (error) {
    return (error as Error).message
  }
}

describe('a text that is not one plain public key', () => {
  it.each(badPublicKeys)('is refused for what it is: %s', (_, text, mistake) => {
    expect(mistakeIn(text)).toBe(mistake)
  })

  it.each(badPublicKeys)('is not repeated in the error: %s', (_, text) => {
    const words = text.split(/\s+/).filter((word) => word.length > 24)
    const message = messageFor(text)
    expect(words.filter((word) => message.includes(word))).toEqual([])
  })

  it('is refused with a known mistake, whatever it is', () => {
    const lines = fc.array(fc.constantFrom(' ', '\n', 'ssh-rsa', 'ssh-ed25519', 'AAAA', '=', 'sk-', '-----BEGIN '))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          lines.map((words) => words.join('')),
        ),
        (text) => {
          expect(mistakeIn(text)).not.toMatch(/^(taken|failed)/)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('is refused with a known mistake when it was a key before its bytes were changed', () => {
    const positions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.constantFrom(...keyNames), positions, fc.nat(255), (name, position, byte) => {
        const blob = Buffer.from(publicKeyNamed(name).blob)
        blob[Math.floor(position * blob.length)] = byte
        expect(mistakeIn(`${publicKeyNamed(name).algorithm} ${blob.toString('base64')}`)).not.toMatch(/^failed/)
      }),
      { numRuns: 500 },
    )
  })
})

describe.each(keyNames)('a public key of type %s', (name) => {
  const key = publicKeyNamed(name)

  it('is read with any comment and surrounding blanks', () => {
    expect(parsePublicKey(`  ${formatPublicKey(key)}\tpi@home  ü \r\n`)).toEqual(key)
  })

  it('survives the way through node:crypto', () => {
    expect(publicKeyOf(toKeyObject(key))).toEqual(key)
    expect(publicKeyOf(privateKeys[name])).toEqual(key)
  })

  it.skipIf(!hasOpenSsh)('is one that ssh-keygen reads', async () => {
    await using directory = await workDirectory()
    expect(askSshKeygen('-l', '-f', directory.write('key.pub', formatPublicKey(key)))).toMatchObject({ status: 0 })
  })
})

it.skipIf(!hasOpenSsh).each([
  ['ed25519', '256'],
  ['ecdsa', '256'],
  ['ecdsa', '384'],
  ['ecdsa', '521'],
  ['rsa', '2048'],
])('reads what ssh-keygen makes: %s %s', async (type, bits) => {
  await using directory = await workDirectory()
  const file = `${directory.path}/key`
  sshKeygen('-q', '-t', type, '-b', bits, '-N', '', '-C', 'a comment', '-f', file)
  const line = sshKeygen('-y', '-f', file).trim()
  expect(line).toBe(`${formatPublicKey(parsePublicKey(line))} a comment`)
})
