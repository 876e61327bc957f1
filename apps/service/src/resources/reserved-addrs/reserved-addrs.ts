import { randomInt } from 'node:crypto'
import { type ReservedAddr, ServiceError, reservedAddrModel } from '@tunnel/models'
import type { Records } from '../../storage/records.ts'
import { regionsAccepted } from '../domain-names/hosted-regions.ts'
import type { ZoneNames } from '../domain-names/zone-names.ts'
import { type ResourceDefinition, defineResource } from '../kernel/definition.ts'

type ReservedAddrBody = Pick<ReservedAddr, 'description' | 'metadata' | 'addr' | 'region'>

export const addrKeyName = 'reserved_addr'

interface ReservedAddrParts {
  readonly names: ZoneNames
  readonly records: Records
  readonly ports: { readonly first: number; readonly last: number; isOpen(port: number): boolean }
}

export function reservedAddrs(
  parts: ReservedAddrParts,
): ResourceDefinition<typeof reservedAddrModel, ReservedAddrBody> {
  return defineResource<typeof reservedAddrModel, ReservedAddrBody>({
    model: reservedAddrModel,
    create: async ({ region = parts.names.region, ...texts }) => {
      const regions = regionsAccepted(parts.names)
      if (!regions.includes(region))
        throw new ServiceError('addr_region_unknown', { region: region.slice(0, 40), supported: regions.join(', ') })
      return { body: { ...texts, region, addr: await freeAddress(parts) } }
    },
    uniqueKeys: ({ addr }) => [{ name: addrKeyName, value: addr, taken: 'addr_taken' }],
    reply: ({ body }) => ({ ...body, endpoint_configuration: null }),
    inUse: 'resource_in_use',
  })
}

/** Starts at a random port, so that neighbours cannot be guessed and two requests at once rarely meet. */
async function freeAddress({ names, records, ports }: ReservedAddrParts): Promise<string> {
  const { first, last } = ports
  const count = last - first + 1
  const start = randomInt(count)
  for (let step = 0; step < count; step += 1) {
    const port = first + ((start + step) % count)
    const addr = `${names.tcpHost}:${port}`
    // Some agent has it for the time being.
    if (ports.isOpen(port)) continue
    if ((await records.holderOf({ name: addrKeyName, value: addr })) === undefined) return addr
  }
  throw new ServiceError('addr_none_free', { region: names.region })
}
