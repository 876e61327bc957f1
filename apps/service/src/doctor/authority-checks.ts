import { readFileSync } from 'node:fs'
import { Agent, request } from 'undici'
import { AcmeTransport } from '../certs/acme/acme-transport.ts'
import { checkCaa } from '../certs/provisioning/preflight.ts'
import type { ServiceConfig } from '../config.ts'
import type { PublicDns } from '../dns/public-dns.ts'
import { type Finding, find } from './finding.ts'

const answerWithinMs = 10_000
const clockSkewMaxMs = 60_000

/** Whether certificates can be had: the authority answers, the clocks agree, and CAA records allow it. */
export async function checkAuthority({ acme, zone, dnsListen }: ServiceConfig, lookup: PublicDns): Promise<Finding[]> {
  // Nothing public: no authority is ever asked.
  if (zone.endsWith('.localhost')) return []
  const caPem = acme.caFile === null ? null : readFileSync(acme.caFile, 'utf8')
  await using transport = new AcmeTransport({ directoryUrl: acme.directory, caPem, nowMs: Date.now })
  const wanted = {
    names: [zone, `*.${zone}`],
    keyType: 'ecdsa',
    proof: { type: 'dns-01', recordOf: (name: string) => name },
  } as const
  const authority = await find('certificate authority', async () => {
    await transport.directory().catch((cause: unknown) => {
      throw new Error(
        `${acme.directory} does not answer. Check SERVICE_ACME_DIRECTORY, SERVICE_ACME_CA_FILE and the way out.`,
        { cause },
      )
    })
    return acme.directory
  })
  if (authority.state !== 'ok') return [authority]
  return [
    authority,
    await find('clock', async () => {
      const skewMs = await clockSkewMs(acme.directory, caPem)
      if (skewMs <= clockSkewMaxMs) return `within ${Math.round(skewMs / 1_000)} s of the certificate authority's`
      throw new Error(
        `${Math.round(skewMs / 1_000)} s away from the certificate authority's. Set it, for example with systemd-timesyncd.`,
      )
    }),
    await find('CAA', async () => {
      if (dnsListen === null) return null
      const { caaIdentities } = await transport.directory()
      await checkCaa(wanted, { identities: caaIdentities, accountUrl: null }, lookup)
      return `${caaIdentities[0] ?? 'the authority'} may issue for ${zone}`
    }),
  ]
}

async function clockSkewMs(url: string, caPem: string | null): Promise<number> {
  const agent = new Agent({ connect: caPem === null ? {} : { ca: caPem }, headersTimeout: answerWithinMs })
  try {
    const { headers, body } = await request(url, { dispatcher: agent })
    await body.dump()
    return Math.abs(Date.parse(String(headers['date'])) - Date.now())
  } finally {
    await agent.destroy()
  }
}
