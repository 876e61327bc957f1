import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import {
  type AgentMessage,
  type AgentSideSession,
  defaultLimits,
  type GoAway,
  Heartbeats,
  type MuxStream,
  type ServiceMessage,
  type ServiceSideSession,
  type SessionEnding,
  type SessionHandlers,
  type SessionLimits,
  startAgentSession,
  startServiceSession,
  type Transport,
  webSocketTransport,
} from '../src/index.ts'

/** What one end of a session has been told. */
export class Recorder<Incoming> implements SessionHandlers<Incoming> {
  readonly messages: Incoming[] = []
  readonly streams: MuxStream[] = []
  readonly goAways: GoAway[] = []
  ending: SessionEnding | null = null
  readonly #waiters: { isTrue: () => boolean; resolve: () => void }[] = []
  onStreamOpened: (stream: MuxStream) => void = () => {}

  onControl(message: Incoming): void {
    this.messages.push(message)
    this.#notify()
  }

  onStream(stream: MuxStream): void {
    this.streams.push(stream)
    this.onStreamOpened(stream)
    this.#notify()
  }

  onGoAway(goAway: GoAway): void {
    this.goAways.push(goAway)
    this.#notify()
  }

  onClose(ending: SessionEnding): void {
    this.ending = ending
    this.#notify()
  }

  /** Resolves when an event has made the condition true. */
  until(isTrue: () => boolean): Promise<void> {
    if (isTrue()) return Promise.resolve()
    return new Promise((resolve) => this.#waiters.push({ isTrue, resolve }))
  }

  #notify(): void {
    for (const waiter of this.#waiters) if (waiter.isTrue()) waiter.resolve()
  }
}

export interface SessionPair {
  readonly agent: AgentSideSession
  readonly service: ServiceSideSession
  readonly onAgent: Recorder<ServiceMessage>
  readonly onService: Recorder<AgentMessage>
}

export function sessionPair(
  [agentTransport, serviceTransport]: readonly [Transport, Transport],
  limits: Partial<SessionLimits> = {},
): SessionPair {
  const options = () => ({
    limits: { ...defaultLimits, ...limits },
    heartbeats: new Heartbeats(),
    nowMs: () => performance.now(),
  })
  const onAgent = new Recorder<ServiceMessage>()
  const onService = new Recorder<AgentMessage>()
  const agent = startAgentSession(agentTransport, onAgent, options())
  const service = startServiceSession(serviceTransport, onService, options())
  return { agent, service, onAgent, onService }
}

/** Two transports over a real WebSocket. `relay` may stand between: it gets the server's port and returns its own. */
export async function webSocketPair(
  relay: (port: number) => Promise<number> = (port) => Promise.resolve(port),
): Promise<[Transport, Transport]> {
  const server = createServer()
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const accepted = new Promise<Transport>((resolve) => {
    server.on('upgrade', (request, socket, head) => {
      webSockets.handleUpgrade(request, socket, head, (webSocket) =>
        resolve(webSocketTransport(webSocket, socket, 'server')),
      )
      server.close()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const port = await relay((server.address() as AddressInfo).port)
  const client = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false })
  let socket: Socket | undefined
  client.on('upgrade', (response) => (socket = response.socket))
  const opened = once(client, 'open').then(() => webSocketTransport(client, socket!, 'client'))
  return Promise.all([opened, accepted])
}
