import { startTcpRelay, type TcpRelay } from '@tunnel/testkit'
import type { Transport } from '../src/index.ts'
import { memoryPair } from './memory-transport.ts'
import { webSocketPair } from './session-pair.ts'

export interface Carrier {
  readonly name: string
  readonly connect: () => Promise<[Transport, Transport]>
  /** How many bytes the suite may send through it without becoming slow. */
  readonly bulkBytes: number
  /** Too slow for the tests that fill windows. */
  readonly isSlow?: boolean
}

/** What the same suite runs over. */
export const carriers: readonly Carrier[] = [
  { name: 'a pair in memory', connect: () => Promise.resolve(memoryPair()), bulkBytes: 8_000_000 },
  { name: 'a WebSocket', connect: () => webSocketPair(), bulkBytes: 8_000_000 },
  {
    name: 'a WebSocket cut into segments of one byte',
    connect: () => webSocketPair((port) => relayed(port, 1)),
    bulkBytes: 20_000,
    isSlow: true,
  },
  {
    name: 'a WebSocket cut into segments of 1400 bytes',
    connect: () => webSocketPair((port) => relayed(port, 1400)),
    bulkBytes: 1_000_000,
  },
]

const relays: TcpRelay[] = []

/** Stops the relays that the carriers of a test have started. */
export async function stopRelays(): Promise<void> {
  for (const relay of relays.splice(0)) await relay[Symbol.asyncDispose]()
}

async function relayed(port: number, segmentMaxBytes: number): Promise<number> {
  const relay = await startTcpRelay({ port }, { segmentMaxBytes })
  relays.push(relay)
  return relay.port
}
