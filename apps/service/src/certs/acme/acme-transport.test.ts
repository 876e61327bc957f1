import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { AcmeTransport } from './acme-transport.ts'

type Reply = (response: ServerResponse) => void

const signer = {
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  identity: { kid: 'account' },
}

/** An authority that answers every POST with `reply`, and counts them. */
async function startAuthority(reply: Reply) {
  const counts = { posts: 0, nonces: 0 }
  const listener: RequestListener = (request, response) => {
    response.setHeader('replay-nonce', `nonce-${counts.nonces++}`)
    if (request.method === 'POST') counts.posts += 1
    if (request.method === 'POST') reply(response)
    else response.end(JSON.stringify(directory()))
  }
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const directory = () => ({
    newNonce: `${origin}/nonce`,
    newAccount: `${origin}/account`,
    newOrder: `${origin}/order`,
  })
  const transport = new AcmeTransport({
    directoryUrl: `${origin}/directory`,
    caPem: null,
    nowMs: () => Date.UTC(2000, 0, 1),
    requestWithinMs: 500,
  })
  return {
    counts,
    origin,
    post: (url = `${origin}/order`) => transport.post('order', url, signer, {}),
    [Symbol.asyncDispose]: async () => {
      await transport[Symbol.asyncDispose]()
      server.close()
    },
  }
}

function problem(status: number, type: string, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
    response.end(
      JSON.stringify({
        type: `urn:ietf:params:acme:error:${type}`,
        detail: 'because',
        subproblems: [{ type: 'x', identifier: { value: 'a.test' } }],
      }),
    )
  }
}

it('gives up on nonces that are refused again and again', async () => {
  await using authority = await startAuthority(problem(400, 'badNonce'))
  await expect(authority.post()).rejects.toMatchObject({ problem: { type: 'badNonce' } })
  expect(authority.counts.posts).toBe(15)
})

it('passes on how long it is asked to wait, as seconds and as a date', async () => {
  await using limited = await startAuthority(problem(429, 'rateLimited', { 'retry-after': '3600' }))
  await expect(limited.post()).rejects.toMatchObject({
    retryAfterMs: 3_600_000,
    problem: { type: 'rateLimited', status: 429 },
  })
  await using busy = await startAuthority(problem(503, '', { 'retry-after': 'Sat, 01 Jan 2000 00:01:30 GMT' }))
  await expect(busy.post()).rejects.toMatchObject({ retryAfterMs: 90_000 })
})

it('keeps subproblems with the name that they are about', async () => {
  await using authority = await startAuthority(problem(403, 'compound'))
  await expect(authority.post()).rejects.toMatchObject({
    problem: { subproblems: [{ type: 'x', identifier: 'a.test' }] },
  })
})

it.each<[string, Reply, object]>([
  [
    'an HTML page',
    (response) => response.writeHead(502).end('<html>bad gateway</html>'),
    { problem: { status: 502, detail: '<html>bad gateway</html>' } },
  ],
  [
    'a body that ends early',
    (response) => response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
    { problem: null },
  ],
  ['an endless body', (response) => response.end(Buffer.alloc(4 * 1024 * 1024)), { problem: null }],
  ['a closed connection', (response) => response.destroy(), { problem: null }],
])('survives %s', async (_case, reply, expected) => {
  await using authority = await startAuthority(reply)
  await expect(authority.post()).rejects.toMatchObject({ name: 'AcmeError', step: 'order', ...expected })
})

it('ends an answer that comes drop by drop', async () => {
  let drips: NodeJS.Timeout | undefined
  await using authority = await startAuthority((response) => {
    response.writeHead(200)
    drips = setInterval(() => response.write(' '), 20)
  })
  await expect(authority.post()).rejects.toMatchObject({ name: 'AcmeError', problem: null })
  clearInterval(drips)
})

it('follows no redirect, and no URL of another scheme', async () => {
  await using elsewhere = await startAuthority((response) => response.end('{}'))
  const target = `${elsewhere.origin}/order`
  await using authority = await startAuthority((response) => response.writeHead(307, { location: target }).end())
  expect((await authority.post()).status).toBe(307)
  for (const url of [target.replace('http:', 'https:'), 'file:///etc/passwd', 'not a URL'])
    await expect(authority.post(url)).rejects.toMatchObject({ name: 'AcmeError', problem: null })
  expect(elsewhere.counts).toEqual({ posts: 0, nonces: 0 })
})

it('reads subproblems one level deep, however deep an answer nests them', async () => {
  const depth = 20_000
  const nested = '{"subproblems":['.repeat(depth) + ']}'.repeat(depth)
  await using authority = await startAuthority((response) => response.writeHead(403).end(nested))
  await expect(authority.post()).rejects.toMatchObject({ problem: { subproblems: [{ subproblems: [] }] } })
})
