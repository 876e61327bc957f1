import { ServiceError } from '@tunnel/models'
import type { Logger } from 'pino'
import { TcpPorts, type TcpPortsDeps } from '../edge/raw/tcp-ports.ts'
import type { PublishedRawEdges } from '../routing/published-raw-edges.ts'
import type { TcpAddresses } from '../sessions/sessions-deps.ts'

export interface OpenTcpPortsDeps extends Omit<TcpPortsDeps, 'edges'> {
  readonly edges: PublishedRawEdges
  readonly log: Logger
}

export interface OpenTcpPorts extends Disposable {
  readonly ports: TcpAddresses['ports']
  isOpen(port: number): boolean
}

/** Listens at the ports of TCP edges, as they come and go, and hands out the others to the tunnels of agents. */
export function openTcpPorts({ edges, log, ...deps }: OpenTcpPortsDeps): OpenTcpPorts {
  const ports = new TcpPorts({ ...deps, edges })
  const follow = (port: number) =>
    ports.follow(port).catch((error: unknown) => log.error({ err: error, port }, 'a TCP edge has no port'))
  const reservedPort = (accountId: string, addr: string): number => {
    const port = edges.reservedPort(accountId, addr)
    if (port === undefined) throw new ServiceError('bind_addr_not_reserved', { addr: addr.slice(0, 80) })
    return port
  }
  for (const port of edges.ports) void follow(port)
  edges.listen((port) => void follow(port))
  return {
    ports: {
      claim: (wish, tunnelOf) => ports.claim(wish, tunnelOf),
      claimReserved: async (accountId, addr, tunnelOf) => ports.claimPort(reservedPort(accountId, addr), tunnelOf),
      requireReserved: (accountId, addr) => void reservedPort(accountId, addr),
    },
    isOpen: (port) => ports.isOpen(port),
    [Symbol.dispose]: () => ports[Symbol.dispose](),
  }
}
