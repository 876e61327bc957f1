import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiClient } from '@tunnel/api-client'
import { startService, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { throwAwayCertificate } from '../src/throw-away-certificate.ts'

it('no secret stands in the store, the log, the metrics or the process list', async () => {
  await using directory = await tempDir()
  await using service = await startService({ dataDir: directory.path })
  const account = await service.createAccount()
  const client = createApiClient({ baseUrl: service.apiUrl, apiKey: account.apiKey })
  const { certificate, key } = await throwAwayCertificate('secret.example.dev', false)
  const certificateId = (await client.tlsCertificates.create({ certificate_pem: certificate, private_key_pem: key })).id
  const tokens = [(await client.apiKeys.create({})).token, (await client.credentials.create({})).token]
  const secrets = [account.apiKey, ...tokens.map(String), ...linesOf(key)]
  // Failing requests carry secrets into places where a careless log would show them.
  for (const token of tokens)
    await fetch(`${service.apiUrl}/x?key=${token}`, { headers: { authorization: `Bearer ${token}` } })
  await expect(client.tlsCertificates.create({ certificate_pem: key, private_key_pem: key })).rejects.toThrow(
    'private key',
  )

  const metrics = await (await fetch(`${service.apiUrl}/metrics`)).text()
  const commandLine = await readFile(`/proc/${service.process.pid}/cmdline`, 'utf8')
  const replies = JSON.stringify([await client.tlsCertificates.get(certificateId), await client.credentials.page()])
  await service.process.stop()
  const places = {
    metrics,
    commandLine,
    replies,
    log: service.process.output(),
    files: await contentOf(directory.path),
  }
  for (const [place, text] of Object.entries(places)) {
    const found = secrets.filter((secret) => text.includes(secret))
    expect({ place, found }).toEqual({ place, found: [] })
  }
  expect(places.files).toContain(certificateId)
})

/** The lines of a PEM that are the key itself. */
function linesOf(pem: string): string[] {
  return pem.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'))
}

/** Everything in the data directory but the master key, which is what opens the rest. */
async function contentOf(directory: string): Promise<string> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile() && entry.name !== 'master.key')
  const contents = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')))
  return contents.join('\n')
}
