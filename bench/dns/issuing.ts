import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:tls'
import { type Named } from '@tunnel/e2e/named'
import { NameWorld } from '@tunnel/e2e/name-world'
import { median } from '../load/statistics.ts'
import type { BenchRow } from '../row.ts'

const giveUpMs = 60_000

/** From the API call that finds the records in place to a verified handshake with the certificate, against pebble. */
export const issuing: BenchRow = {
  name: 'dns-issuing',
  async measure(run) {
    await using world = await NameWorld.start()
    const account = await world.service.createAccount()
    const tookMs: number[] = []
    for (let round = 0; round < run.rounds; round += 1) {
      const below = `app${round}.customer.test`
      const domain = (await account.call('POST', '/reserved_domains', { domain: `*.${below}` })) as Named
      await world.setCustomerRecords([
        `*.${below}. CNAME ${domain.cname_target}.`,
        `_acme-challenge.${below}. CNAME ${domain.acme_challenge_cname_target}.`,
      ])
      const startedAtMs = performance.now()
      await account.call('PATCH', `/reserved_domains/${domain.id}`, { description: 'the records are there' })
      await untilServed(world, `device.${below}`)
      tookMs.push(performance.now() - startedAtMs)
    }
    const value = median(tookMs) / 1_000
    return {
      goals: [
        { what: 'A managed certificate, from API call to served', value, unit: 's', better: 'lower', required: 15 },
      ],
    }
  },
}

async function untilServed({ publicAddress, edgePorts, caFile }: NameWorld, servername: string): Promise<void> {
  const ca = await readFile(caFile)
  const deadline = AbortSignal.timeout(giveUpMs)
  while (!deadline.aborted) {
    const socket = connect({ host: publicAddress, port: edgePorts.https, servername, ca })
    const isServed = await once(socket, 'secureConnect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isServed) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${servername} has no certificate`)
}
