import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { DnsCounters } from './dns-counters.ts'
import type { Transport } from './respond.ts'
import type { ResponseBudget } from './response-budget.ts'

export interface UdpServerOptions {
  readonly host: string
  readonly port: number
  readonly respond: (packet: Buffer, transport: Transport) => Buffer | null
  readonly budget: ResponseBudget
  readonly counters: DnsCounters
}

/** Bytes that the system keeps for us in a burst. */
const receiveBufferBytes = 4 * 1024 * 1024
/** Of answers that the system does not take yet; then answers are dropped, as the network would. */
const sendQueueMaxBytes = 1024 * 1024

/** Answers datagrams. Bind each public address by itself: a wildcard socket may answer from another address than was asked. */
export async function startUdpServer(options: UdpServerOptions): Promise<{ readonly port: number } & AsyncDisposable> {
  const socket = createSocket({ type: isIPv6(options.host) ? 'udp6' : 'udp4', recvBufferSize: receiveBufferBytes })
  socket.on('message', (packet, sender) => answerDatagram(options, socket, packet, sender))
  socket.bind(options.port, options.host)
  await once(socket, 'listening')
  // A send to an unreachable sender reports here much later; it concerns nobody else.
  socket.on('error', () => options.counters.add('sendFailed'))
  return {
    port: socket.address().port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

function answerDatagram(options: UdpServerOptions, socket: Socket, packet: Buffer, sender: RemoteInfo): void {
  options.counters.add('udpQueries')
  const verdict = sender.port === 0 ? 'drop' : options.budget.take(sender.address)
  if (verdict !== 'udp') options.counters.add('rateLimited')
  if (verdict === 'drop') return
  const response = options.respond(packet, verdict)
  if (response !== null && socket.getSendQueueSize() < sendQueueMaxBytes)
    socket.send(response, sender.port, sender.address)
}
