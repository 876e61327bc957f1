import { lookup as resolve, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from '@tunnel/policy-engine'
import { Agent, request } from 'undici'
import type { PrivateHosts } from './private-hosts.ts'

const documentMaxBytes = 256 * 1024
const answerMs = 5_000

/** Fetches key sets for policies. What an account writes into a policy must not reach into the service's own network. */
export class KeySetFetcher implements AsyncDisposable {
  readonly #privateHosts: PrivateHosts
  readonly #agent: Agent

  constructor(privateHosts: PrivateHosts) {
    this.#privateHosts = privateHosts
    const connect = { lookup: this.#lookup, timeout: answerMs }
    this.#agent = new Agent({ connect, headersTimeout: answerMs, bodyTimeout: answerMs })
  }

  /** Rejects on anything but an unredirected 200 with a small JSON document from a public address or a listed host. */
  async fetch(url: string): Promise<unknown> {
    const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
    // An address that is written out is never looked up.
    if (isIP(host) !== 0 && !this.#admits(host, host)) throw notPublic(host)
    const { statusCode, body } = await request(url, {
      dispatcher: this.#agent,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(answerMs),
    })
    if (statusCode !== 200) {
      await body.dump()
      throw new Error(`the key set was answered with status ${statusCode}`)
    }
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body) {
      const bytes = chunk as Buffer
      size += bytes.length
      if (size > documentMaxBytes) throw new Error('the key set is too large')
      chunks.push(bytes)
    }
    return JSON.parse(Buffer.concat(chunks).toString())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy()
  }

  /** Refuses a name when any of its addresses is refused, so that a second look-up cannot change the answer. */
  readonly #lookup: LookupFunction = (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const [first] = addresses ?? []
      if (error || first === undefined) return done(error ?? notPublic(host), '', 0)
      if (!addresses.every(({ address }) => this.#admits(host, address))) return done(notPublic(host), '', 0)
      if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }

  #admits(host: string, address: string): boolean {
    return isPublicAddress(address) || this.#privateHosts.has(host) || this.#privateHosts.has(address)
  }
}

function notPublic(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has an address that is not public`), { code: 'EACCES' })
}
