import type { RawEdge } from '../edge/raw/raw-edge.ts'
import type { AddressFilters } from './address-filters.ts'
import type { BackendCatalogue } from './backend-catalogue.ts'
import type { StoredRawEdge } from './edge-sources.ts'
import { HostTable } from './host-table.ts'
import { KeptConnections } from './kept-connections.ts'
import { type ItemSource, Mirror, type MirroredItem } from './mirror.ts'
import type { ModuleCompiler } from './route-guards.ts'
import { type Authorities, isUnverifiable, terminationOf } from './visitor-tls.ts'

interface StoredAddr {
  /** `host:port`. */
  readonly addr: string
}

export interface RawEdgeSources {
  readonly tcpEdges: ItemSource<StoredRawEdge>
  readonly tlsEdges: ItemSource<StoredRawEdge>
  readonly reservedAddrs: ItemSource<StoredAddr>
}

/** All are refreshed before. */
interface Parts {
  readonly filters: AddressFilters
  readonly backends: BackendCatalogue
  readonly compile: Readonly<Record<RawProtocol, ModuleCompiler>>
  readonly authorities: Authorities
}

type RawProtocol = RawEdge['protocol']

/** What TCP and TLS edges publish, by port and by host name, and whose port is whose. */
export class PublishedRawEdges {
  readonly #tcp: Mirror<StoredRawEdge>
  readonly #tls: Mirror<StoredRawEdge>
  readonly #addrs: Mirror<StoredAddr>
  readonly #parts: Parts
  readonly #edgeIdByPort = new Map<number, string>()
  readonly #edgeIdByHost = new HostTable()
  /** Compiled once for each version of an edge. */
  readonly #policies = new WeakMap<StoredRawEdge['modules'], RawEdge['policies']>()
  readonly #listeners = new Set<(port: number) => void>()
  readonly #releaseListeners = new Set<() => void>()
  readonly #kept = new KeptConnections()
  readonly #addrByPort = new Map<number, MirroredItem<StoredAddr>>()

  private constructor(mirrors: Mirrors, parts: Parts) {
    this.#tcp = mirrors.tcp
    this.#tls = mirrors.tls
    this.#addrs = mirrors.addrs
    this.#parts = parts
    for (const edge of mirrors.tcp.values()) for (const port of portsOf(edge)) this.#edgeIdByPort.set(port, edge.id)
    for (const edge of mirrors.tls.values()) for (const host of hostsOf(edge)) this.#edgeIdByHost.set(host, edge.id)
    for (const addr of mirrors.addrs.values()) this.#addrByPort.set(portOf(addr.body.addr), addr)
  }

  static async load({ tcpEdges, tlsEdges, reservedAddrs }: RawEdgeSources, parts: Parts): Promise<PublishedRawEdges> {
    const tcp = await Mirror.load(tcpEdges)
    const tls = await Mirror.load(tlsEdges)
    const addrs = await Mirror.load(reservedAddrs)
    return new PublishedRawEdges({ tcp, tls, addrs }, parts)
  }

  /** The ports at which TCP edges listen. */
  get ports(): Iterable<number> {
    return this.#edgeIdByPort.keys()
  }

  atPort(port: number): RawEdge | undefined {
    const edgeId = () => this.#edgeIdByPort.get(port)
    return this.#compile(this.#tcp.get(edgeId() ?? ''), 'tcp', edgeId)
  }

  atHost(host: string): RawEdge | undefined {
    if (this.#edgeIdByHost.isEmpty) return undefined
    const edgeId = () => this.#edgeIdByHost.find(host)
    return this.#compile(this.#tls.get(edgeId() ?? ''), 'tls', edgeId)
  }

  isReserved(port: number): boolean {
    return this.#addrByPort.has(port)
  }

  /** The port of an address that the account has reserved. */
  reservedPort(accountId: string, addr: string): number | undefined {
    const port = portOf(addr)
    const holder = this.#addrByPort.get(port)
    return holder?.accountId === accountId && holder.body.addr === addr ? port : undefined
  }

  /** Told when an address is not reserved any more. */
  listenToReleases(listener: () => void): void {
    this.#releaseListeners.add(listener)
  }

  /** Told of every port whose edge has come, gone or changed. */
  listen(listener: (port: number) => void): void {
    this.#listeners.add(listener)
  }

  /** Takes over one change of the store. `kind` is the id prefix; changes of other types are none of ours. */
  async refresh(kind: string, id: string): Promise<void> {
    if (kind === 'ra') await this.#refreshAddr(id)
    if (kind === 'edgtls') await this.#refreshTls(id)
    if (kind === 'edgtcp') await this.#refreshTcp(id)
  }

  async #refreshAddr(id: string): Promise<void> {
    const { before, after } = await this.#addrs.refresh(id)
    if (before !== undefined) this.#addrByPort.delete(portOf(before.body.addr))
    if (after !== undefined) this.#addrByPort.set(portOf(after.body.addr), after)
    if (before !== undefined && after === undefined) for (const listener of this.#releaseListeners) listener()
  }

  async #refreshTls(id: string): Promise<void> {
    const { before, after } = await this.#tls.refresh(id)
    for (const host of hostsOf(before)) this.#edgeIdByHost.delete(host)
    for (const host of hostsOf(after)) this.#edgeIdByHost.set(host, id)
    this.#kept.review(id)
  }

  async #refreshTcp(id: string): Promise<void> {
    const { before, after } = await this.#tcp.refresh(id)
    for (const port of portsOf(before)) this.#edgeIdByPort.delete(port)
    for (const port of portsOf(after)) this.#edgeIdByPort.set(port, id)
    this.#kept.review(id)
    for (const port of new Set([...portsOf(before), ...portsOf(after)]))
      for (const listener of this.#listeners) listener(port)
  }

  /** Once for each connection, so there is nothing that could be out of date. */
  #compile(
    edge: MirroredItem<StoredRawEdge> | undefined,
    protocol: RawProtocol,
    edgeId: () => string | undefined,
  ): RawEdge | undefined {
    if (edge === undefined) return undefined
    const { filters, backends, authorities } = this.#parts
    const { backend, ip_restriction: restriction, ...modules } = edge.body.modules
    const isServed = backend?.enabled === true && !isUnverifiable(modules)
    return {
      id: edge.id,
      accountId: edge.accountId,
      protocol,
      termination: terminationOf(edge.id, modules, authorities),
      addressFilter: restriction?.enabled === true ? filters.union(restriction.ip_policy_ids) : null,
      policies: this.#policiesOf(edge, protocol),
      backend: isServed ? backends.get(backend.backend_id, 'bytes') : null,
      keep: (end) => this.#kept.add(edge.id, end, () => edgeId() === edge.id),
    }
  }

  #policiesOf(edge: MirroredItem<StoredRawEdge>, protocol: RawProtocol): RawEdge['policies'] {
    const { modules } = edge.body
    const known = this.#policies.get(modules)
    if (known !== undefined) return known
    const policies = this.#parts.compile[protocol](modules, edge).map(({ policy }) => policy)
    this.#policies.set(modules, policies)
    return policies
  }
}

interface Mirrors {
  readonly tcp: Mirror<StoredRawEdge>
  readonly tls: Mirror<StoredRawEdge>
  readonly addrs: Mirror<StoredAddr>
}

function portsOf(edge: MirroredItem<StoredRawEdge> | undefined): number[] {
  return (edge?.body.hostports ?? []).map(portOf)
}

function hostsOf(edge: MirroredItem<StoredRawEdge> | undefined): string[] {
  return (edge?.body.hostports ?? []).map((hostport) => hostport.replace(/:\d+$/, ''))
}

function portOf(hostport: string): number {
  return Number(/:(\d{1,5})$/.exec(hostport)?.[1])
}
