import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { AcmeClient } from './acme-client.ts'
import { AcmeTransport } from './acme-transport.ts'
import { type Challenge, issueCertificate } from './issue.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const account = { privateKey, identity: { kid: 'account' }, thumbprint: 'thumb' }
const challenge = { type: 'dns-01', url: '/challenge', token: 't0ken', status: 'pending' }
const honest = { authorizations: ['/authorization'], name: 'app.test', token: 't0ken' }

/** Orders from an authority that answers like this; what was published for it. */
async function published(answers: Partial<typeof honest>): Promise<readonly Challenge[]> {
  const { authorizations, name, token } = { ...honest, ...answers }
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`
    const at = (path: string) => `${origin}${path}`
    const bodies: Record<string, object> = {
      '/directory': { newNonce: at('/nonce'), newAccount: at('/account'), newOrder: at('/order') },
      '/order': { status: 'pending', authorizations: authorizations.map(at), finalize: at('/finalize') },
      '/authorization': {
        status: 'pending',
        identifier: { type: 'dns', value: name },
        challenges: [{ ...challenge, url: at('/challenge'), token }],
      },
    }
    response.writeHead(200, { 'replay-nonce': 'nonce', location: at('/order/1') })
    response.end(JSON.stringify(bodies[request.url ?? ''] ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const directoryUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/directory`
  await using transport = new AcmeTransport({ directoryUrl, caPem: null, nowMs: Date.now })
  const seen: Challenge[] = []
  const presenter = {
    type: 'dns-01',
    present: (challenges: readonly Challenge[]) => {
      seen.push(...challenges)
      return Promise.reject(new Error('far enough'))
    },
  } as const
  const conversation = { client: new AcmeClient(transport, account), presenter, signal: AbortSignal.timeout(5_000) }
  const request = { names: ['*.app.test'], keyType: 'ecdsa', profile: null, replaces: null } as const
  const error: unknown = await issueCertificate(conversation, request).catch((thrown: unknown) => thrown)
  server.close()
  if (!(error instanceof Error) || error.name === 'AcmeError') throw error
  return seen
}

it('publishes the proof that an honest authority asks for', async () => {
  expect(await published({})).toMatchObject([{ name: 'app.test', keyAuthorization: 't0ken.thumb' }])
})

it.each<[string, Partial<typeof honest>]>([
  ['for another name than was ordered', { name: 'victim.test' }],
  ['with a token that is a page', { token: '<script>alert(1)</script>' }],
  ['with a token that is a path', { token: '../../index.html' }],
  ['with more authorizations than names', { authorizations: Array<string>(1_000).fill('/authorization') }],
])('publishes nothing %s', async (_case, answers) => {
  await expect(published(answers)).rejects.toMatchObject({ name: 'AcmeError', problem: null })
})
