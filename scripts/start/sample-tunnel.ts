import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

interface TunnelRecord {
  readonly url: string
  readonly domain: string | null
  readonly forwards_to: string
}

/** Makes the sample's tunnel through the agent's local API; one with an old upstream port is replaced. */
export async function ensureTunnel(localApi: string, domain: string, forwardsTo: string): Promise<TunnelRecord> {
  const records = (await call(localApi, 'GET', '/tunnels')) as TunnelRecord[]
  const existing = records.find((record) => record.domain === domain)
  if (existing?.forwards_to === forwardsTo) return existing
  if (existing !== undefined) await call(localApi, 'DELETE', `/tunnels/${domain}`)
  return (await call(localApi, 'POST', '/tunnels', {
    protocol: 'http',
    forwards_to: forwardsTo,
    domain,
  })) as TunnelRecord
}

/** Resolves when the edge forwards requests for `host`. */
export async function waitUntilPublished(host: string, edgeUrl: string, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs
  while ((await statusFor(host, edgeUrl)) !== 200) {
    if (Date.now() > deadline) throw new Error(`http://${host} did not answer in time.`)
    await delay(100)
  }
}

function statusFor(host: string, edgeUrl: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = request(edgeUrl, { headers: { host }, timeout: 5000 }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    probe.once('error', () => resolve(undefined)).once('timeout', () => probe.destroy())
    probe.end()
  })
}

async function call(base: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(base + path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    signal: AbortSignal.timeout(30_000),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}
