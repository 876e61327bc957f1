import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomPageHash, runProcess, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curl, curlJson } from '../../src/curl.ts'
import { Stack } from '../../src/stack.ts'

const BODY_BYTES = process.env['TEST_LONG'] ? 2 ** 30 : 2 ** 24

let stack: Stack
let host: string

beforeAll(async () => {
  stack = await Stack.start()
  host = await stack.publish('curl')
})
afterAll(() => stack[Symbol.asyncDispose]())

const visitors = [
  { name: 'HTTP/1.1', url: (path: string) => stack.httpUrl(host, path), args: () => ['--http1.1'] },
  {
    name: 'HTTP/1.1 over TLS',
    url: (path: string) => stack.httpsUrl(host, path),
    args: () => ['--http1.1', ...trust()],
  },
  { name: 'HTTP/2 over TLS', url: (path: string) => stack.httpsUrl(host, path), args: () => ['--http2', ...trust()] },
]

function trust(): string[] {
  return ['--cacert', stack.service.caFile]
}

describe.each(visitors)('curl over $name', ({ name, url, args }) => {
  it('reaches the program behind the agent', async () => {
    const answer = await curl(url('/'), ...args())
    expect(answer).toMatchObject({
      status: 200,
      body: 'Hello, World!',
      version: name.slice(0, name.includes('2') ? 6 : 8),
    })
  })

  it('downloads a large body unchanged', async () => {
    await using dir = await tempDir()
    const file = join(dir.path, 'body')
    await curlToFile(url(`/random/${BODY_BYTES}`), file, args())
    expect(await hashOf(file)).toBe(randomPageHash(BODY_BYTES))
  })

  it('uploads a large body unchanged', async () => {
    await using dir = await tempDir()
    const file = join(dir.path, 'body')
    await curlToFile(`http://127.0.0.1:${stack.upstream.port}/random/${BODY_BYTES}`, file, [])
    const received = await curlJson(url('/hash'), '--upload-file', file, ...args())
    expect(received).toEqual({ bytes: BODY_BYTES, sha256: randomPageHash(BODY_BYTES) })
  })

  it('answers HEAD with the length and no body', async () => {
    const answer = await curl(url('/bytes/5000'), '--head', ...args())
    expect(answer.headers.get('content-length')).toBe('5000')
    expect(answer.body).toBe('')
  })

  it('shows the upstream the public host and the visitor', async () => {
    const seen = (await curlJson(url('/request'), ...args())) as { headers: Record<string, string> }
    expect(seen.headers['host']).toBe(new URL(url('/')).host)
    expect(seen.headers['x-forwarded-host']).toBe(new URL(url('/')).host)
    expect(seen.headers['x-forwarded-proto']).toBe(url('/').startsWith('https') ? 'https' : 'http')
    expect(seen.headers['x-forwarded-for']).toBe('127.0.0.1')
  })
})

it('passes 100 Continue on before the body is sent', async () => {
  await using dir = await tempDir()
  const file = join(dir.path, 'body')
  await writeFile(file, 'x'.repeat(100_000))
  const args = ['--http1.1', '-H', 'Expect: 100-continue', '--expect100-timeout', '30', '--upload-file', file]
  const answer = await curl(stack.httpUrl(host, '/hash'), ...args)
  expect(answer.interim).toEqual(['HTTP/1.1 100 Continue'])
  expect(JSON.parse(answer.body)).toMatchObject({ bytes: 100_000 })
})

it('streams a chunked upload back while it is still being sent', async () => {
  const shell = `(printf one; sleep 0.2; printf two) | curl -sS -N -T - ${stack.httpUrl(host, '/echo')}`
  expect(await runProcess('sh', ['-c', shell])).toBe('onetwo')
})

it('keeps trailers', async () => {
  const answer = await runProcess('curl', [
    '-sS',
    '-i',
    '--raw',
    '-H',
    'TE: trailers',
    stack.httpUrl(host, '/trailers'),
  ])
  expect(answer.toLowerCase()).toContain('x-checksum: abc')
})

it('serves its root certificate for download', async () => {
  await using dir = await tempDir()
  const file = join(dir.path, 'root.pem')
  await curlToFile(`${stack.service.apiUrl}/local-ca.pem`, file, [])
  const answer = await curl(stack.httpsUrl(host), '--cacert', file)
  expect(answer.status).toBe(200)
})

it('answers a name that nobody publishes with 404 in the form the visitor asked for', async () => {
  const url = stack.httpUrl(`nobody.${stack.service.zone}`)
  const json = await curl(url, '-H', 'Accept: application/json')
  expect(json.status).toBe(404)
  expect(JSON.parse(json.body)).toMatchObject({ error_code: 'ERR_SERVICE_3200' })
  const html = await curl(url, '-H', 'Accept: text/html')
  expect(html.headers.get('content-type')).toContain('text/html')
  expect(html.body).toContain('ERR_SERVICE_3200')
})

async function curlToFile(url: string, file: string, args: readonly string[]): Promise<void> {
  await runProcess('curl', ['-sS', '--fail', '--output', file, ...args, url], { limitMs: 120_000 })
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}
