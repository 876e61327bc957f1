import type { Socket } from 'node:net'
import { CidrSet } from '@tunnel/policy-engine'
import { Counter, type Registry } from 'prom-client'
import { GrowingBytes } from '../growing-bytes.ts'
import { type ProxiedAddresses, readProxyHeader } from './proxy-header.ts'

interface ProxiedConnectionsOptions {
  /** Proxies in front of us, as address blocks. */
  readonly trusted: readonly string[]
  /** How long a proxy may take for its header. */
  readonly headerWithinMs: number
  readonly metrics: Registry
}

/**
 * Connections that come through proxies which tell, in a PROXY protocol header, who is behind them. A trusted proxy must send
 * the header, as its definition demands: to guess would let visitors write it. Of anybody else it is not read.
 */
export class ProxiedConnections {
  readonly #trusted: CidrSet
  readonly #headerWithinMs: number
  readonly #refused: Counter
  /** Of open connections, by their real ends. */
  readonly #byEnds = new Map<string, ProxiedAddresses>()

  /** Null when no proxy is trusted: then nothing is looked at. */
  static open(options: ProxiedConnectionsOptions): ProxiedConnections | null {
    return options.trusted.length === 0 ? null : new ProxiedConnections(options)
  }

  private constructor({ trusted, headerWithinMs, metrics }: ProxiedConnectionsOptions) {
    this.#trusted = new CidrSet(trusted)
    this.#headerWithinMs = headerWithinMs
    this.#refused = new Counter({
      name: 'edge_proxy_headers_refused_total',
      help: 'Connections of trusted proxies without a valid PROXY protocol header in time',
      registers: [metrics],
    })
  }

  /** Calls back once the addresses of the socket are those of the visitor; what was read beyond the header is put back. */
  receive(socket: Socket, onReady: () => void): void {
    if (this.#trusted.find(socket.remoteAddress ?? '') === undefined) return onReady()
    readHeader(socket, this.#headerWithinMs, (addresses) => {
      if (addresses === undefined) return this.#refuse(socket)
      if (addresses !== null) this.#declare(socket, addresses)
      onReady()
    })
  }

  /** Gives a TLS connection the addresses of the connection below it. */
  adopt(socket: Socket): void {
    const addresses = this.#byEnds.get(endsOf(socket))
    if (addresses !== undefined) setAddresses(socket, addresses)
  }

  #declare(socket: Socket, addresses: ProxiedAddresses): void {
    const ends = endsOf(socket)
    this.#byEnds.set(ends, addresses)
    socket.once('close', () => this.#byEnds.delete(ends))
    setAddresses(socket, addresses)
  }

  #refuse(socket: Socket): void {
    this.#refused.inc()
    socket.destroy()
  }
}

/** The real ends of an open connection: the same for a connection and for the TLS on top of it. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}

/** Everybody who asks the socket, such as the management API behind the edge, learns who the visitor is. */
function setAddresses(socket: Socket, { source, destination }: ProxiedAddresses): void {
  Object.defineProperties(socket, {
    remoteAddress: { value: source.ip },
    remotePort: { value: source.port },
    remoteFamily: { value: source.ip.includes(':') ? 'IPv6' : 'IPv4' },
    localAddress: { value: destination.ip },
    localPort: { value: destination.port },
  })
}

/** `addresses` undefined: there is none, or it is late. */
type HeaderRead = (addresses: ProxiedAddresses | null | undefined) => void

function readHeader(socket: Socket, withinMs: number, onRead: HeaderRead): void {
  const received = new GrowingBytes()
  const finish = (addresses?: ProxiedAddresses | null, rest: Buffer = Buffer.alloc(0)) => {
    clearTimeout(deadline)
    socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', ignore)
    socket.pause()
    if (rest.length > 0) socket.unshift(rest)
    onRead(addresses)
    socket.resume()
  }
  const onData = (chunk: Buffer) => {
    received.add(chunk)
    const header = readProxyHeader(received.bytes)
    if (header.kind === 'known') finish(header.addresses, received.bytes.subarray(header.length))
    if (header.kind === 'invalid') finish()
  }
  const onEnd = () => finish()
  const ignore = () => undefined
  const deadline = setTimeout(onEnd, withinMs)
  socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', ignore)
}
