import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasOpenSsh, sshKeygen, startService, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'

it.skipIf(!hasOpenSsh).each([
  ['empty', /Principals: \(none\)/],
  ['wildcard', /Principals: \n\s+\*\n/],
])('with SERVICE_SSH_EMPTY_PRINCIPALS=%s a certificate for every host holds %s', async (setting, principals) => {
  await using directory = await tempDir()
  const env = { SERVICE_SSH_EMPTY_PRINCIPALS: setting }
  await using service = await startService({ dataDir: join(directory.path, 'data'), env })
  const account = await service.createAccount()
  const { id } = (await account.call('POST', '/ssh_certificate_authorities', {})) as { id: string }
  sshKeygen('-q', '-t', 'ed25519', '-N', '', '-f', join(directory.path, 'key'))
  const created = (await account.call('POST', '/ssh_host_certificates', {
    ssh_certificate_authority_id: id,
    public_key: readFileSync(join(directory.path, 'key.pub'), 'utf8'),
  })) as { certificate: string; principals: string[] }
  writeFileSync(join(directory.path, 'key-cert.pub'), created.certificate)
  expect(sshKeygen('-L', '-f', join(directory.path, 'key-cert.pub'))).toMatch(principals)
  expect(created.principals).toEqual([])
})
