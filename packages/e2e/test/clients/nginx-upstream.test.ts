import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, startProcess, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { curl } from '../../src/curl.ts'
import { eventually } from '../../src/eventually.ts'
import { Stack } from '../../src/stack.ts'

it('carries nginx as the program behind the agent: files, ranges, compression, redirects, keep-alive limits', async () => {
  await using dir = await tempDir()
  await using stack = await Stack.start()
  const port = await freePort()
  const page = 'A line of the page.\n'.repeat(5000)
  await mkdir(join(dir.path, 'www/folder'), { recursive: true })
  await writeFile(join(dir.path, 'www/page.txt'), page)
  await writeFile(join(dir.path, 'nginx.conf'), nginxConfig(dir.path, port))
  await using _nginx = await startProcess('nginx', [
    '-e',
    join(dir.path, 'error.log'),
    '-c',
    join(dir.path, 'nginx.conf'),
  ])
  await eventually(async () => expect((await curl(`http://127.0.0.1:${port}/page.txt`)).status).toBe(200))
  const host = await stack.publish('nginx', port)
  const trust = ['--cacert', stack.service.caFile]

  const whole = await curl(stack.httpsUrl(host, '/page.txt'), ...trust)
  expect(hash(whole.body)).toBe(hash(page))
  const part = await curl(stack.httpUrl(host, '/page.txt'), '--range', '2-5')
  expect(part).toMatchObject({ status: 206, body: 'line' })
  const compressed = await curl(stack.httpsUrl(host, '/page.txt'), '--compressed', ...trust)
  expect(compressed.headers.get('content-encoding')).toBe('gzip')
  expect(hash(compressed.body)).toBe(hash(page))
  const unchanged = await curl(stack.httpUrl(host, '/page.txt'), '-H', `If-None-Match: ${whole.headers.get('etag')}`)
  expect(unchanged).toMatchObject({ status: 304, body: '' })
  const redirect = await curl(stack.httpUrl(host, '/folder'))
  expect(redirect).toMatchObject({ status: 301 })
  // nginx closes each connection after three requests: a reused stream must not lose the fourth.
  const many = Array.from({ length: 40 }, (_, index) => curl(stack.httpUrl(host, `/page.txt?${index}`)))
  const statuses = (await Promise.all(many)).map((answer) => answer.status)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function nginxConfig(dir: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${dir}/nginx.pid;
events {}
http {
  ${temporary.map((name) => `${name}_temp_path ${dir}/${name};`).join('\n  ')}
  access_log off;
  gzip on;
  gzip_types text/plain;
  types { text/plain txt; }
  keepalive_requests 3;
  server {
    listen 127.0.0.1:${port};
    absolute_redirect off;
    root ${dir}/www;
  }
}
`
}
