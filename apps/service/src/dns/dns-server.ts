import { DnsCounters } from './dns-counters.ts'
import { respond, type Transport } from './respond.ts'
import { ResponseBudget } from './response-budget.ts'
import { startTcpServer } from './tcp-server.ts'
import { startUdpServer } from './udp-server.ts'
import type { ZoneTable } from './zone-table.ts'
import { headerOctets, responseCodes } from './protocol.ts'
import { encodeError } from './response.ts'

export interface DnsServerOptions {
  readonly zones: ZoneTable
  readonly listen: { readonly host: string; readonly port: number }
  readonly nowMs: () => number
  /** A broken answer: the asker gets SERVFAIL, the log gets this. */
  readonly onFailure: (error: unknown) => void
  readonly answersPerSecondPerNetwork?: number
  readonly tcpIdleMs?: number
}

export interface DnsServer extends AsyncDisposable {
  readonly port: number
  readonly counters: DnsCounters
}

/** Enough for the resolvers of a large provider, little as a weapon. */
const defaultAnswersPerSecond = 1_000
const defaultTcpIdleMs = 5_000
/** TCP must get the number that UDP got; somebody else may hold it. */
const pairAttempts = 20

/** Starts answering on UDP and TCP at the same address and port. */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const counters = new DnsCounters()
  const budget = new ResponseBudget({
    perSecond: options.answersPerSecondPerNetwork ?? defaultAnswersPerSecond,
    nowMs: options.nowMs,
  })
  const answering = { ...options.listen, counters, respond: guarded(options, counters) }
  const idleMs = options.tcpIdleMs ?? defaultTcpIdleMs
  for (let attempt = 1; ; attempt++) {
    const udp = await startUdpServer({ ...answering, budget })
    try {
      const tcp = await startTcpServer({ ...answering, port: udp.port, idleMs })
      return { port: udp.port, counters, [Symbol.asyncDispose]: () => stopBoth(udp, tcp) }
    } catch (error) {
      await udp[Symbol.asyncDispose]()
      if (options.listen.port !== 0 || attempt === pairAttempts) throw error
    }
  }
}

async function stopBoth(udp: AsyncDisposable, tcp: AsyncDisposable): Promise<void> {
  await Promise.all([udp[Symbol.asyncDispose](), tcp[Symbol.asyncDispose]()])
}

function guarded({ zones, onFailure }: DnsServerOptions, counters: DnsCounters) {
  return (packet: Buffer, transport: Transport): Buffer | null => {
    try {
      return respond(zones, packet, transport)
    } catch (error) {
      counters.add('failures')
      onFailure(error)
      return packet.length < headerOctets ? null : serverFailure(packet)
    }
  }
}

function serverFailure(packet: Buffer): Buffer {
  const header = { id: packet.readUInt16BE(0), flags: packet.readUInt16BE(2) }
  return encodeError(header, responseCodes.serverFailure)
}
