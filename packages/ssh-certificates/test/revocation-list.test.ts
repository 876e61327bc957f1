import { expect, it } from 'vitest'
import { encodeRevocationList } from '../src/index.ts'
import { hostCertificate } from './host-certificate.ts'
import { type KeyName, publicKeyNamed } from './keys.ts'
import { askSshKeygen, hasOpenSsh } from '@tunnel/testkit'
import { type WorkDirectory, workDirectory } from './work-directory.ts'

function writeCertificate(directory: WorkDirectory, keyId: string, authority: KeyName = 'ed25519'): string {
  const line = hostCertificate(authority, { keyId })
  return directory.write(`${keyId}-cert.pub`, line)
}

function writeList(directory: WorkDirectory, keyIds: readonly string[]): string {
  const list = { authority: publicKeyNamed('ed25519'), keyIds, version: 7n, generatedAt: 1_767_225_600n, comment: 'c' }
  return directory.write('krl', encodeRevocationList(list))
}

it.skipIf(!hasOpenSsh)('revokes the certificates it names and no other', async () => {
  await using directory = await workDirectory()
  const list = writeList(directory, ['shcrt_A', 'shcrt_B'])
  expect(askSshKeygen('-Q', '-f', list, writeCertificate(directory, 'shcrt_A')).output).toContain('REVOKED')
  expect(askSshKeygen('-Q', '-f', list, writeCertificate(directory, 'shcrt_B')).output).toContain('REVOKED')
  expect(askSshKeygen('-Q', '-f', list, writeCertificate(directory, 'shcrt_C'))).toMatchObject({ status: 0 })
})

it.skipIf(!hasOpenSsh)('leaves certificates of other authorities alone', async () => {
  await using directory = await workDirectory()
  const list = writeList(directory, ['shcrt_A'])
  const foreign = writeCertificate(directory, 'shcrt_A', 'ecdsa p521')
  expect(askSshKeygen('-Q', '-f', list, foreign)).toMatchObject({ status: 0 })
})

it.skipIf(!hasOpenSsh)('is a valid list when nothing is revoked', async () => {
  await using directory = await workDirectory()
  const answer = askSshKeygen('-Q', '-l', '-f', writeList(directory, []), writeCertificate(directory, 'shcrt_A'))
  expect(answer.status).toBe(0)
  expect(answer.output).toContain('# KRL version 7')
})
