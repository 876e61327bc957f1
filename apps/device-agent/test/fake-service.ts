import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import {
  type AgentMessage,
  type Bind,
  type CommandResult,
  defaultLimits,
  Heartbeats,
  type Hello,
  type ServiceMessage,
  type ServiceSideSession,
  startServiceSession,
  WEB_SOCKET_SUBPROTOCOL,
  webSocketTransport,
} from '@tunnel/session-protocol'
import { type WebSocket, WebSocketServer } from 'ws'

/** How the service answers; each part can be changed while it runs. */
export interface Script {
  /** Null: say nothing at all. */
  greet: (hello: Hello, turn: number) => ServiceMessage | null
  bind: (bind: Bind) => Extract<ServiceMessage, { type: 'bindResult' }> | null
}

/** One session as the service sees it. */
export interface FakeSession {
  readonly session: ServiceSideSession
  readonly hello: Hello
  readonly binds: Bind[]
  readonly received: AgentMessage[]
}

/** The service's end of the protocol over a real WebSocket, answering by a script. */
export class FakeService implements AsyncDisposable {
  readonly script: Script = { greet: welcome, bind: (bind) => bound(bind) }
  /** What the service answers to ordinary requests at the connect address. */
  onRequest: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    response.writeHead(404).end()
  readonly sessions: FakeSession[] = []
  readonly upgrades: IncomingMessage[] = []
  #server = createServer()
  readonly #heartbeats = new Heartbeats()
  readonly #sockets = new Set<Socket>()
  readonly #watchers = new Set<() => void>()
  #port = 0

  static async start(tls?: { key: string; cert: string }): Promise<FakeService> {
    const service = new FakeService()
    await service.listen(tls)
    return service
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`
  }

  get port(): number {
    return this.#port
  }

  get latest(): FakeSession {
    const latest = this.sessions.at(-1)
    if (latest === undefined) throw new Error('no session yet')
    return latest
  }

  /** Listens again on the port of before. */
  async listen(tls?: { key: string; cert: string }): Promise<void> {
    this.#server = tls ? createTlsServer(tls) : createServer()
    this.#server.on('connection', (socket: Socket) => this.#sockets.add(socket))
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.onRequest(request, response),
    )
    const webSockets = new WebSocketServer({ server: this.#server, handleProtocols: () => WEB_SOCKET_SUBPROTOCOL })
    webSockets.on('connection', (webSocket, request) => this.#accept(webSocket, request))
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Dies without a word: every connection is reset. */
  async crash(): Promise<void> {
    for (const socket of this.#sockets) socket.resetAndDestroy()
    this.#sockets.clear()
    this.#server.close()
    await once(this.#server, 'close')
  }

  /** Settles when `condition` holds, looked at after every message. */
  until(condition: () => boolean, limitMs = 10_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(() => reject(new Error('the awaited thing did not happen'))), limitMs)
      const finish = (settle: () => void): void => {
        clearTimeout(timer)
        this.#watchers.delete(look)
        settle()
      }
      const look = (): void => {
        if (condition()) finish(resolve)
      }
      this.#watchers.add(look)
      look()
    })
  }

  untilSessions(count: number): Promise<void> {
    return this.until(() => this.sessions.length >= count)
  }

  untilBinds(count: number): Promise<void> {
    return this.until(() => (this.sessions.at(-1)?.binds.length ?? 0) >= count)
  }

  async command(command: 'restart' | 'stop' | 'update', id: string = command): Promise<CommandResult> {
    const { session, received } = this.latest
    const answer = (): CommandResult | undefined =>
      received.findLast((message): message is CommandResult => message.type === 'commandResult' && message.id === id)
    session.send({ type: 'command', id, command })
    await this.until(() => answer() !== undefined)
    return answer()!
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.crash()
  }

  #accept(webSocket: WebSocket, request: IncomingMessage): void {
    this.upgrades.push(request)
    const handlers = {
      onControl: (message: AgentMessage) => {
        if (message.type === 'hello') this.#greet(session, message)
        else this.#answer(session, message)
        this.#look()
      },
      onStream: () => undefined,
      onGoAway: () => this.#look(),
      onClose: () => this.#look(),
    }
    const options = { limits: defaultLimits, heartbeats: this.#heartbeats, nowMs: () => performance.now() }
    const session = startServiceSession(webSocketTransport(webSocket, request.socket, 'server'), handlers, options)
  }

  #greet(session: ServiceSideSession, hello: Hello): void {
    const answer = this.script.greet(hello, this.sessions.length)
    this.sessions.push({ session, hello, binds: [], received: [] })
    session.agree({ maxStreams: hello.maxStreams, heartbeat: { intervalMs: 2000, toleranceMs: 3000 } })
    if (answer !== null) session.send(answer)
  }

  #answer(session: ServiceSideSession, message: AgentMessage): void {
    const known = this.sessions.find((candidate) => candidate.session === session)
    known?.received.push(message)
    if (message.type === 'bind') {
      known?.binds.push(message)
      const answer = this.script.bind(message)
      if (answer !== null) session.send(answer)
    }
    if (message.type === 'unbind') session.send({ type: 'unbindResult', bindId: message.bindId, error: null })
  }

  #look(): void {
    for (const look of this.#watchers) look()
  }
}

export function welcome(hello: Hello, turn: number): Extract<ServiceMessage, { type: 'welcome' }> {
  return {
    type: 'welcome',
    protocolVersion: 2,
    sessionId: `ts_${turn}`,
    clientId: hello.resume?.clientId ?? `client_${turn}`,
    cookie: hello.resume?.cookie ?? 'cookie',
    region: 'local',
    zone: 'tunnel.localhost',
    heartbeat: { intervalMs: 500, toleranceMs: 500 },
    limits: { maxStreams: 1000, maxBinds: 100 },
    serverTime: new Date().toISOString(),
    deprecation: null,
  }
}

export function refuse(reason: string, retryable = false): ServiceMessage {
  return { type: 'refused', error: { code: 107, reason, message: `refused: ${reason}`, retryable }, retryAfterMs: 0 }
}

export function bound({ bindId, domain }: Bind): Extract<ServiceMessage, { type: 'bindResult' }> {
  const host = domain ?? `free-${bindId.slice(0, 8)}.tunnel.localhost`
  return {
    type: 'bindResult',
    bindId,
    tunnel: { tunnelId: `tn_${bindId}`, url: `https://${host}`, domain: host },
    error: null,
  }
}

export function bindRefused(
  { bindId }: Bind,
  reason: string,
  code: number,
): Extract<ServiceMessage, { type: 'bindResult' }> {
  return {
    type: 'bindResult',
    bindId,
    tunnel: null,
    error: { code, reason, message: `refused: ${reason}`, retryable: false },
  }
}
