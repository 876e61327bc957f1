import { type KeyObject, generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import {
  certificateAuthority,
  formatCertificate,
  formatPublicKey,
  issueCertificate,
  parsePublicKey,
} from '@tunnel/ssh-certificates'

const yearSeconds = 31_536_000

export interface FakeCertificateApi extends AsyncDisposable {
  readonly url: string
  /** Bodies of the certificates that were asked for. */
  readonly requests: Record<string, unknown>[]
  /** The authority's key; tests replace it. */
  privateKey: KeyObject
  /** Certifies this key instead of the one asked for. */
  substitute: string | null
}

/** The two calls of the management API that certify hosts: real certificates, one authority, one API key. */
export async function startCertificateApi(apiKey: string): Promise<FakeCertificateApi> {
  const state = { requests: [] as Record<string, unknown>[], privateKey: ed25519(), substitute: null as string | null }
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body))
    if (request.headers.authorization !== `Bearer ${apiKey}`)
      return void reply(403, { error_code: 'ERR_SERVICE_203', msg: 'The API key is unknown.' })
    const authority = certificateAuthority(state.privateKey)
    if (request.method === 'GET') return void reply(200, { public_key: formatPublicKey(authority.publicKey) })
    const body = (await json(request)) as Record<string, unknown>
    state.requests.push(body)
    const keyId = `shcrt_${state.requests.length}`
    const now = BigInt(Math.floor(Date.now() / 1000))
    const content = {
      type: 'host' as const,
      publicKey: parsePublicKey(state.substitute ?? String(body['public_key'])),
      serial: 0n,
      keyId,
      principals: body['principals'] as string[],
      validAfter: now,
      validBefore: now + BigInt(yearSeconds),
      criticalOptions: {},
      extensions: {},
    }
    const certificate = formatCertificate(issueCertificate(content, authority, randomBytes(32)), keyId)
    reply(201, { id: keyId, certificate })
  }

  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  })
}

export function ed25519(): KeyObject {
  return generateKeyPairSync('ed25519').privateKey
}
