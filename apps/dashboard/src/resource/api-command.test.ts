import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { apiCommand } from './api-command.tsx'

it('is one call of the API, in several lines', () => {
  expect(apiCommand('http://127.0.0.1:4300/bot_users', { name: "Ada's" })).toBe(
    [
      'curl http://127.0.0.1:4300/bot_users \\',
      `     -H "Authorization: Bearer $API_KEY" -H 'Service-Version: 2' \\`,
      String.raw`     -H 'Content-Type: application/json' -d '{"name":"Ada'\''s"}'`,
    ].join('\n'),
  )
})

it('reads files where a field holds one', () => {
  const dir = mkdtempSync(join(tmpdir(), 'api-command-'))
  writeFileSync(join(dir, 'ca.pem'), 'two\nlines')
  const command = apiCommand('http://127.0.0.1:4300/certificate_authorities', { metadata: '' }, { ca_pem: 'ca.pem' })
  const [body = ''] = command.split(' \\\n     | curl')
  expect(execFileSync('sh', ['-c', body], { cwd: dir, encoding: 'utf8' })).toBe(
    '{"metadata":"","ca_pem":"two\\nlines"}\n',
  )
  rmSync(dir, { recursive: true })
})
