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
  })
  return {
    counts,
    post: () => transport.post('order', `${origin}/order`, signer, {}),
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
