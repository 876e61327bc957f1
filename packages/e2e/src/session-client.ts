import { once } from 'node:events'
import { type Socket, connect as connectTcp } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import {
  type AgentSideSession,
  type Bind,
  type BindResult,
  type Hello,
  Heartbeats,
  PROTOCOL_VERSION,
  type ServiceMessage,
  type SessionEnding,
  WEB_SOCKET_SUBPROTOCOL,
  type Welcome,
  defaultLimits,
  startAgentSession,
  webSocketTransport,
} from '@tunnel/session-protocol'
import { WebSocket } from 'ws'

const ANSWER_LIMIT_MS = 20_000

export interface SessionClientOptions {
  readonly connectUrl: string
  readonly authtoken: string
  /** Root certificate; needed where the address is `wss:`. */
  readonly ca?: Buffer
  /** Fields of the hello that differ from a plain agent's. */
  readonly hello?: Partial<Hello>
  /** Accepts every command, and does nothing. */
  readonly isObedient?: boolean
  /** For TLS session tickets and the like. */
  readonly tls?: ConnectionOptions
}

/** A session as an agent's, held by a test: no records, no reconnecting, streams are refused. */
export interface SessionClient {
  readonly session: AgentSideSession
  readonly welcome: Welcome
  readonly ended: Promise<SessionEnding>
  /** Below the session, for messages that no session would send. */
  readonly webSocket: WebSocket
  /** An address or labels, and what differs from a plain tunnel. */
  bind(fields: Partial<Bind>): Promise<BindResult>
}

/** One for all clients of a process, as in an agent. */
const heartbeats = new Heartbeats()

/** Opens a session on any address of loopback; rejects with the service's text when it is refused. */
export async function openSession(options: SessionClientOptions): Promise<SessionClient> {
  const { webSocket, socket } = await dialSession(options)
  const messages = new Messages()
  const ended = Promise.withResolvers<SessionEnding>()
  const session = startAgentSession(
    webSocketTransport(webSocket, socket.setNoDelay(true), 'client'),
    {
      onControl: (message) => {
        messages.add(message)
        if (message.type === 'command' && options.isObedient === true)
          session.send({ type: 'commandResult', id: message.id, error: null })
      },
      onStream: (stream) => stream.reset('refused'),
      onGoAway: () => {},
      onClose: (ending) => {
        messages.fail(new Error(`the session ended: ${ending.message}`))
        ended.resolve(ending)
      },
    },
    { limits: defaultLimits, heartbeats, nowMs: () => performance.now() },
  )
  session.send({ ...plainHello(options.authtoken), ...options.hello })
  const answer = await messages.first((message) => message.type === 'welcome' || message.type === 'refused')
  if (answer.type === 'refused') throw new Error(answer.error.message)
  const welcome = answer as Welcome
  session.agree({ maxStreams: welcome.limits.maxStreams, heartbeat: welcome.heartbeat })
  return { session, welcome, webSocket, ended: ended.promise, bind: (fields) => bind(session, messages, fields) }
}

/** An open WebSocket to the session listener, before anything was said. */
export async function dialSession(
  options: Pick<SessionClientOptions, 'connectUrl' | 'ca' | 'tls'>,
): Promise<{ webSocket: WebSocket; socket: Socket }> {
  const { hostname, port, protocol } = new URL(options.connectUrl)
  const socket =
    protocol === 'wss:'
      ? connectTls({ host: '127.0.0.1', port: Number(port), servername: hostname, ca: options.ca, ...options.tls })
      : connectTcp({ host: '127.0.0.1', port: Number(port) })
  const webSocket = new WebSocket(options.connectUrl, [WEB_SOCKET_SUBPROTOCOL], {
    createConnection: () => socket,
    perMessageDeflate: false,
    handshakeTimeout: ANSWER_LIMIT_MS,
  })
  await once(webSocket, 'open')
  return { webSocket, socket }
}

async function bind(session: AgentSideSession, messages: Messages, fields: Partial<Bind>): Promise<BindResult> {
  const bindId = crypto.randomUUID()
  session.send({
    type: 'bind',
    bindId,
    protocol: 'http',
    domain: null,
    labels: null,
    policy: null,
    metadata: null,
    forwardsTo: 'localhost:1',
    upstreamProtocol: 'http1',
    ...fields,
  })
  const answer = await messages.first((message) => message.type === 'bindResult' && message.bindId === bindId)
  return answer as BindResult
}

/** What an agent without any speciality says first. */
export function plainHello(authtoken: string): Hello {
  return {
    type: 'hello',
    protocolVersions: [PROTOCOL_VERSION],
    authtoken,
    agentVersion: '0.0.0',
    os: 'linux',
    arch: 'x64',
    hostname: 'testkit',
    metadata: '',
    labels: {},
    capabilities: { restart: '', stop: '', update: 'not in tests' },
    resume: null,
    installId: crypto.randomUUID(),
    bootId: crypto.randomUUID(),
    maxStreams: defaultLimits.maxStreams,
  }
}

/** Control messages that came, and who waits for one. */
class Messages {
  readonly #waiting = new Set<{
    accepts: (message: ServiceMessage) => boolean
    settle: PromiseWithResolvers<ServiceMessage>
  }>()
  #failure: Error | null = null

  add(message: ServiceMessage): void {
    for (const waiting of this.#waiting) if (waiting.accepts(message)) waiting.settle.resolve(message)
  }

  fail(failure: Error): void {
    this.#failure = failure
    for (const { settle } of this.#waiting) settle.reject(failure)
  }

  async first(accepts: (message: ServiceMessage) => boolean): Promise<ServiceMessage> {
    if (this.#failure) throw this.#failure
    const waiting = { accepts, settle: Promise.withResolvers<ServiceMessage>() }
    this.#waiting.add(waiting)
    const timer = setTimeout(() => waiting.settle.reject(new Error('the service did not answer')), ANSWER_LIMIT_MS)
    return waiting.settle.promise.finally(() => {
      clearTimeout(timer)
      this.#waiting.delete(waiting)
    })
  }
}
