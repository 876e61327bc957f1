import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hasOpenSsh, sshKeygen, startService, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'

it.skipIf(!hasOpenSsh)(
  'a private key pasted as public key is refused, and neither stored nor logged nor sent back',
  async () => {
    await using directory = await tempDir()
    const dataDir = join(directory.path, 'data')
    await using service = await startService({ dataDir })
    const account = await service.createAccount()
    const { id } = (await account.call('POST', '/ssh_certificate_authorities', {})) as { id: string }
    sshKeygen('-q', '-t', 'ed25519', '-N', '', '-f', join(directory.path, 'key'))
    const privateKey = readFileSync(join(directory.path, 'key'), 'utf8')
    const order = { ssh_certificate_authority_id: id, public_key: privateKey }
    const secret = privateKey.split('\n')[2] ?? ''
    expect(secret).toHaveLength(70)

    const refusal = await account.call('POST', '/ssh_host_certificates', order).catch(String)
    expect(refusal).toContain('ERR_SERVICE_1934')
    expect(refusal).not.toContain(secret)
    expect(service.process.output()).not.toContain(secret)
    for (const file of readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()))
      expect(readFileSync(join(file.parentPath, file.name)).includes(secret)).toBe(false)
  },
)
