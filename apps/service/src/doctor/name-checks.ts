import { once } from 'node:events'
import { connect } from 'node:net'
import type { ServiceConfig } from '../config.ts'
import { askServer } from '../dns/ask-server.ts'
import type { PublicDns } from '../dns/public-dns.ts'
import { delegationRecords, type RecordLine } from '../dns/service-zone.ts'
import { type Finding, find } from './finding.ts'

const connectWithinMs = 3_000
const dnsPort = 53
const webPorts = [80, 443]

/** Whether the world finds this service: delegation and glue at the registrar, and the ports at its public addresses. */
export function checkNames(config: ServiceConfig, lookup: PublicDns): Promise<Finding[]> {
  const { zone, publicIps, dnsListen } = config
  const isPublic = !zone.endsWith('.localhost')
  const whenPublic = (run: () => Promise<string>) => async () => (isPublic ? run() : null)
  const whenDelegated = (run: () => Promise<string>) => async () => (isPublic && dnsListen !== null ? run() : null)
  const wanted = delegationRecords(zone, publicIps)
  return Promise.all([
    find(
      'public addresses',
      whenPublic(() => publicAddresses(publicIps)),
    ),
    find(
      'delegation',
      whenDelegated(() => checkDelegation(zone, wanted, lookup)),
    ),
    find(
      'glue',
      whenDelegated(() => checkGlue(zone, wanted, lookup)),
    ),
    find(
      'names',
      whenPublic(() => checkAddresses(config, lookup)),
    ),
    ...publicIps.map((address) =>
      find(
        `port ${dnsPort} at ${address}`,
        whenDelegated(() => askOurself(address, zone)),
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

function publicAddresses(publicIps: readonly string[]): Promise<string> {
  if (publicIps.join() === '127.0.0.1')
    return Promise.reject(new Error('Set SERVICE_PUBLIC_IPS to the addresses at which the world reaches this machine.'))
  const only = publicIps.length === 1 ? '; only one: if this machine is down, no name resolves' : ''
  return Promise.resolve(`${publicIps.join(', ')}${only}`)
}

async function checkDelegation(zone: string, wanted: readonly RecordLine[], lookup: PublicDns): Promise<string> {
  const nameservers = wanted.filter(({ type }) => type === 'NS').map(({ value }) => comparable(value))
  const listed = (await lookup.delegationOf(zone)).map(comparable)
  const isComplete = nameservers.every((name) => listed.includes(name))
  if (isComplete && listed.length === nameservers.length) return `${zone} is delegated to ${listed.join(', ')}`
  throw new Error(
    `The parent of ${zone} lists ${listed.join(', ') || 'no name servers for it'}. ${advice(zone, wanted)}`,
  )
}

async function checkGlue(zone: string, wanted: readonly RecordLine[], lookup: PublicDns): Promise<string> {
  const addresses = wanted.filter(({ type }) => type !== 'NS')
  const found = await lookup.glueOf(zone)
  const isWanted = (ip: string) => addresses.some(({ value }) => value === ip)
  if (addresses.every(({ value }) => found.includes(value)) && found.every(isWanted)) return found.join(', ')
  const now = found.join(', ') || 'no addresses of the name servers'
  throw new Error(`The parent of ${zone} gives out ${now}. ${advice(zone, addresses)}`)
}

/** What to type where the parent zone is kept, in the form of a zone file. */
function advice(zone: string, records: readonly RecordLine[]): string {
  const parent = zone.slice(zone.indexOf('.') + 1)
  const width = Math.max(...records.map(({ name }) => name.length))
  const lines = records.map(({ name, type, value }) => `\n          ${name.padEnd(width)}  ${type.padEnd(4)}  ${value}`)
  return `Where ${parent} is kept (the registrar, if ${zone} is registered there itself), set these and no others:${lines.join('')}`
}

async function checkAddresses({ zone, publicIps, dnsListen }: ServiceConfig, lookup: PublicDns): Promise<string> {
  const name = `connect.${zone}`
  const found = await lookup.addressesOf(name)
  if (found.some((ip) => publicIps.includes(ip))) return `${name} resolves to ${found.join(', ')}`
  const cure =
    dnsListen === null
      ? `Set SERVICE_DNS_LISTEN, or point ${zone} and *.${zone} at ${publicIps.join(', ')} where the zone is kept.`
      : 'It will when delegation and glue are right; resolvers may remember an earlier answer for an hour.'
  throw new Error(`${name} resolves to ${found.join(', ') || 'nothing'}, not to ${publicIps.join(' or ')}. ${cure}`)
}

function comparable(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
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
