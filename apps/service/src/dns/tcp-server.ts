import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { DnsCounters } from './dns-counters.ts'
import type { Transport } from './respond.ts'
import { networkOf } from './response-budget.ts'
import { FrameReader } from './tcp-frames.ts'

export interface TcpServerOptions {
  readonly host: string
  readonly port: number
  readonly respond: (packet: Buffer, transport: Transport) => Buffer | null
  readonly counters: DnsCounters
  readonly idleMs: number
}

/** When all are taken the oldest makes room: a question is answered at once, so who has stayed longest is no resolver in need. */
const connectionsMax = 1_024
/** So that one network cannot keep all others from asking over TCP. */
const connectionsPerNetworkMax = 64
/** A client that asks but does not read is cut off here. */
const unsentMaxBytes = 256 * 1024

/** DNS over TCP (RFC 7766): several questions on one connection, each behind its length. */
export async function startTcpServer(options: TcpServerOptions): Promise<{ readonly port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>()
  const perNetwork = new Map<string, number>()
  const server = createServer((socket) => {
    const network = networkOf(socket.remoteAddress ?? '')
    const count = (perNetwork.get(network) ?? 0) + 1
    if (count > connectionsPerNetworkMax) {
      options.counters.add('tcpRefused')
      socket.destroy()
      return
    }
    if (sockets.size >= connectionsMax) endOldest(sockets, options.counters)
    sockets.add(socket)
    perNetwork.set(network, count)
    socket.once('close', () => {
      sockets.delete(socket)
      leave(perNetwork, network)
    })
    serve(options, socket)
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return {
    port: portOf(server.address()),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function endOldest(sockets: Set<Socket>, counters: DnsCounters): void {
  const [oldest] = sockets
  counters.add('tcpRefused')
  if (oldest === undefined) return
  sockets.delete(oldest)
  oldest.destroy()
}

function leave(perNetwork: Map<string, number>, network: string): void {
  const left = (perNetwork.get(network) ?? 1) - 1
  if (left === 0) perNetwork.delete(network)
  else perNetwork.set(network, left)
}

/** A connection lives as long as whole questions keep coming; half a question does not extend it. */
function serve(options: TcpServerOptions, socket: Socket): void {
  const frames = new FrameReader()
  const deadline = setTimeout(() => socket.destroy(), options.idleMs)
  socket.once('close', () => clearTimeout(deadline))
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    const questions = frames.read(chunk)
    socket.cork()
    if (questions === null || !questions.every((question) => answerQuestion(options, socket, question))) {
      socket.destroy()
      return
    }
    socket.uncork()
    if (questions.length > 0) deadline.refresh()
  })
}

/** False when the connection is not worth keeping. */
function answerQuestion({ respond, counters }: TcpServerOptions, socket: Socket, question: Buffer): boolean {
  counters.add('tcpQueries')
  const response = respond(question, 'tcp')
  if (response === null) return false
  writeFrame(socket, response)
  return socket.writableLength <= unsentMaxBytes
}

function writeFrame(socket: Socket, response: Buffer): void {
  const length = Buffer.allocUnsafe(2)
  length.writeUInt16BE(response.length)
  socket.write(length)
  socket.write(response)
}

function portOf(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (address === null || typeof address === 'string') throw new Error('not a TCP address')
  return address.port
}
