import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { runProcess, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { curl } from '../../src/curl.ts'
import { hasPostgres, startPostgresCluster } from '../../src/postgres-cluster.ts'
import { Stack } from '../../src/stack.ts'
import { throwAwayCertificate } from '../../src/throw-away-certificate.ts'

it.skipIf(!hasPostgres)('psql works through a tcp tunnel, also with results of many megabytes', async () => {
  await using cluster = await startPostgresCluster()
  await using stack = await Stack.start()
  const { url } = await stack.agent.createTunnel({ protocol: 'tcp', forwards_to: new URL(cluster.url).host })
  const { port } = new URL(url)
  await using dir = await tempDir()
  const file = join(dir.path, 'rows')
  const query = (statement: string, ...options: readonly string[]) =>
    runProcess('psql', ['-XAtq', ...options, `postgres://postgres@127.0.0.1:${port}/postgres`, '-c', statement])
  expect((await query('select 6 * 7')).trim()).toBe('42')
  await query("select i, repeat('x', 1000) from generate_series(1, 10000) i", '-o', file)
  const rows = (await readFile(file, 'latin1')).trimEnd().split('\n')
  expect(rows.length).toBe(10_000)
  expect(rows.every((row, index) => row === `${index + 1}|${'x'.repeat(1000)}`)).toBe(true)
  await query('create table sent (line text)')
  await query('insert into sent select md5(i::text) from generate_series(1, 1000) i')
  expect(await cluster.query('select count(*) from sent')).toEqual(['1000'])
})

it('an HTTPS server with a certificate of its own is reached by its name, and nobody in between can read along', async () => {
  await using stack = await Stack.start()
  await using dir = await tempDir()
  const host = `own.${stack.service.zone}`
  const { certificate, key } = await throwAwayCertificate(host, true)
  const server = createServer({ cert: certificate, key }, (request, response) => response.end(`${request.url} here`))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const forwards_to = `127.0.0.1:${(server.address() as AddressInfo).port}`
  await stack.agent.createTunnel({ protocol: 'tls', forwards_to, domain: host })
  const root = join(dir.path, 'own.pem')
  await writeFile(root, certificate)

  const { edgeHttps } = stack.service.ports
  const place = ['--connect-to', `${host}:443:127.0.0.1:${edgeHttps}`]
  expect(await curl(`https://${host}/path`, ...place, '--cacert', root)).toMatchObject({
    status: 200,
    body: '/path here',
  })
  await expect(curl(`https://${host}/`, ...place, '--cacert', stack.service.caFile)).rejects.toThrow('certificate')

  const client = ['s_client', '-connect', `127.0.0.1:${edgeHttps}`, '-servername', host, '-CAfile', root]
  const shown = await runProcess('sh', ['-c', `openssl ${client.join(' ')} -verify_return_error </dev/null 2>&1`])
  expect(shown).toContain(`subject=CN = ${host}`)
  expect(shown).toContain('Verify return code: 0 (ok)')
  server.close()
  server.closeAllConnections()
})
