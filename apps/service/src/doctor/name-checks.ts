import { once } from 'node:events'
import { connect } from 'node:net'
import type { ServiceConfig } from '../config.ts'
import { askServer } from '../dns/ask-server.ts'
import type { PublicDns } from '../dns/public-dns.ts'
import { serviceNames } from '../dns/service-zone.ts'
import { type Finding, find } from './finding.ts'

const connectWithinMs = 3_000
const dnsPort = 53
const webPorts = [80, 443]

/** Whether the world finds this service: delegation and glue at the registrar, and the ports at its public addresses. */
export function checkNames(config: ServiceConfig, lookup: PublicDns): Promise<Finding[]> {
  const { zone, publicIps, dnsListen } = config
  const nameservers = serviceNames.nameservers(zone)
  const advice = `At the registrar of ${zone}, set the name servers ${nameservers.join(' and ')} with the glue addresses ${publicIps.join(', ')}.`
  const whenPublic = (run: () => Promise<string>) => async () =>
    dnsListen === null || zone.endsWith('.localhost') ? null : run()
  return Promise.all([
    find(
      'delegation',
      whenPublic(async () => {
        const listed = (await lookup.delegationOf(zone)).map((name) => name.toLowerCase().replace(/\.$/, ''))
        if (nameservers.every((name) => listed.includes(name))) return `${zone} is delegated to ${listed.join(', ')}`
        throw new Error(`The parent of ${zone} lists ${listed.join(', ') || 'no name servers'}. ${advice}`)
      }),
    ),
    find(
      'glue',
      whenPublic(async () => {
        const glue = await lookup.glueOf(zone)
        const missing = publicIps.filter((ip) => !glue.includes(ip))
        if (missing.length === 0) return glue.join(', ')
        throw new Error(`The parent of ${zone} does not give out ${missing.join(', ')}. ${advice}`)
      }),
    ),
    find(
      'name servers',
      whenPublic(() =>
        Promise.resolve(
          publicIps.length > 1
            ? `${publicIps.length} addresses`
            : 'only one address: if this machine is down, no name resolves',
        ),
      ),
    ),
    ...publicIps.map((address) =>
      find(
        `port ${dnsPort} at ${address}`,
        whenPublic(() => askOurself(address, zone)),
      ),
    ),
    ...publicIps.flatMap((address) =>
      webPorts.map((port) =>
        find(
          `port ${port} at ${address}`,
          whenPublic(() => reach(address, port)),
        ),
      ),
    ),
  ])
}

async function askOurself(address: string, zone: string): Promise<string> {
  const answer = await askServer({ address, port: dnsPort, name: zone, type: 'SOA' }).catch((cause: unknown) => {
    throw new Error(
      `No answer over TCP. Start the service, let SERVICE_DNS_LISTEN include port 53, and open it for UDP and TCP.`,
      { cause },
    )
  })
  if (answer.answers?.some(({ type }) => type === 'SOA') !== true)
    throw new Error(`Another server answers here: it does not know ${zone}.`)
  return 'answers with authority'
}

async function reach(address: string, port: number): Promise<string> {
  const socket = connect({ host: address, port, signal: AbortSignal.timeout(connectWithinMs) })
  try {
    await once(socket, 'connect')
    return 'open'
  } catch (cause) {
    throw new Error(
      `Nothing accepts connections. Forward it to the edge listener, or set SERVICE_EDGE_HTTP${port === 443 ? 'S' : ''}_LISTEN.`,
      { cause },
    )
  } finally {
    socket.destroy()
  }
}
