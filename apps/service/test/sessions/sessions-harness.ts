import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { mintId, ServiceError } from '@tunnel/models'
import {
  type AgentSideSession,
  type Bind,
  defaultLimits,
  type GoAway,
  type Hello,
  Heartbeats,
  type MuxStream,
  PROTOCOL_VERSION,
  type ServiceMessage,
  type SessionEnding,
  type SessionHandlers,
  startAgentSession,
  type Welcome,
  WEB_SOCKET_SUBPROTOCOL,
  webSocketTransport,
} from '@tunnel/session-protocol'
import { Registry } from 'prom-client'
import { WebSocket } from 'ws'
import { createSessions, type Sessions } from '../../src/sessions/sessions.ts'
import type { SessionsDeps } from '../../src/sessions/sessions-deps.ts'
import { LabelledTunnels } from '../../src/sessions/labelled-tunnels.ts'
import { zoneNames } from '../../src/sessions/zone-names.ts'

export const zone = 'tunnel.test'

/** Tokens that the listener under test knows, by what they may bind. */
export const credentials: Record<string, { accountId: string; credentialId: string; acl: string[] }> = {
  'token-all': { accountId: 'ac_1', credentialId: 'cr_1', acl: [] },
  'token-site': { accountId: 'ac_1', credentialId: 'cr_2', acl: ['bind:*.site.tunnel.test', 'bind:place=*'] },
  'token-other': { accountId: 'ac_2', credentialId: 'cr_3', acl: [] },
}

export interface Listening extends AsyncDisposable {
  readonly sessions: Sessions
  readonly url: string
  readonly port: number
  readonly log: { fields: object; event: string }[]
}

/** The sessions of a service behind a real HTTP server. */
export async function listen(
  overrides: Partial<SessionsDeps> = {},
  onlyAccountId: string | null = null,
): Promise<Listening> {
  const log: Listening['log'] = []
  const record = (fields: object, event: string) => void log.push({ fields, event })
  const sessions = createSessions({
    authtokens: {
      verify: (token) => {
        const known = credentials[token]
        return known ? Promise.resolve(known) : Promise.reject(new ServiceError('authtoken_invalid'))
      },
    },
    admitsAgent: () => true,
    names: zoneNames(zone, ['connect', 'api']),
    nameMemory: { remembered: [], remember: () => undefined, forget: () => undefined },
    labelled: new LabelledTunnels(),
    publish: () => undefined,
    compilePolicy: (policy) => Promise.resolve(policy),
    publicUrl: (_protocol, domain) => `https://${domain}`,
    tcp: {
      host: 'tcp.tunnel.test',
      ports: {
        claim: (wish) => Promise.resolve({ port: wish % 100, release: () => undefined }),
        claimReserved: () => Promise.reject(new ServiceError('bind_addr_not_reserved', { addr: 'any' })),
        requireReserved: () => undefined,
      },
    },
    identityKey: Buffer.alloc(32, 7),
    zone,
    region: 'test',
    mintId: (prefix) => mintId(prefix, Date.now()),
    clock: { nowMs: () => performance.now(), wallMs: () => Date.now() },
    random: () => 0.5,
    log: { info: record, warn: record },
    registry: new Registry(),
    ...overrides,
  })
  const server = createServer()
  server.on('upgrade', (request, socket, head) =>
    sessions.handleUpgrade(request, socket as Socket, head, onlyAccountId),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const dispose = async () => {
    await sessions[Symbol.asyncDispose]()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { sessions, port, url: `ws://127.0.0.1:${port}`, log, [Symbol.asyncDispose]: dispose }
}

export function helloOf(overrides: Partial<Hello> = {}): Hello {
  return {
    type: 'hello',
    protocolVersions: [PROTOCOL_VERSION],
    authtoken: 'token-all',
    agentVersion: '1.0.0',
    os: 'linux',
    arch: 'arm64',
    hostname: 'device',
    metadata: '',
    labels: {},
    capabilities: { restart: '', stop: '', update: '' },
    resume: null,
    installId: 'install',
    bootId: 'boot-1',
    maxStreams: 100,
    ...overrides,
  }
}

export function bindOf(bindId: string, overrides: Partial<Bind> = {}): Bind {
  return {
    type: 'bind',
    bindId,
    protocol: 'http',
    domain: null,
    labels: null,
    policy: null,
    metadata: null,
    forwardsTo: 'localhost:8001',
    upstreamProtocol: 'http1',
    ...overrides,
  }
}

/** A WebSocket to the listener, open, with its socket. */
export async function openWebSocket(url: string, protocol = WEB_SOCKET_SUBPROTOCOL): Promise<[WebSocket, Socket]> {
  const webSocket = new WebSocket(url, protocol, { perMessageDeflate: false })
  const [[response]] = await Promise.all([once(webSocket, 'upgrade'), once(webSocket, 'open')])
  return [webSocket, (response as { socket: Socket }).socket]
}

/** An agent as the tests need it: it remembers what it is told, and can wait for it. */
export class TestAgent implements SessionHandlers<ServiceMessage> {
  session!: AgentSideSession
  socket!: Socket
  #webSocket!: WebSocket
  readonly messages: ServiceMessage[] = []
  readonly goAways: GoAway[] = []
  ending: SessionEnding | null = null
  onStream: (stream: MuxStream) => void = (stream) => stream.reset('refused')
  #waiters: { find: () => unknown; resolve: (found: unknown) => void }[] = []

  static async connect(url: string): Promise<TestAgent> {
    const agent = new TestAgent()
    const [webSocket, socket] = await openWebSocket(url)
    const options = { limits: defaultLimits, heartbeats: new Heartbeats(), nowMs: () => performance.now() }
    agent.socket = socket
    agent.#webSocket = webSocket
    agent.session = startAgentSession(webSocketTransport(webSocket, socket, 'client'), agent, options)
    return agent
  }

  /** Connected and welcomed. */
  static async online(url: string, hello: Partial<Hello> = {}): Promise<[TestAgent, Welcome]> {
    const agent = await TestAgent.connect(url)
    agent.session.send(helloOf(hello))
    const welcome = await agent.message('welcome')
    return [agent, welcome]
  }

  onControl(message: ServiceMessage): void {
    this.messages.push(message)
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

  /** Sends bytes past the session. */
  writeMessage(bytes: Buffer): void {
    this.#webSocket.send(bytes)
  }

  message<T extends ServiceMessage['type']>(type: T, index = 0): Promise<Extract<ServiceMessage, { type: T }>> {
    return this.#first(() => this.messages.filter((message) => message.type === type)[index]) as Promise<
      Extract<ServiceMessage, { type: T }>
    >
  }

  async bind(bindId: string, overrides: Partial<Bind> = {}) {
    const before = this.messages.filter(({ type }) => type === 'bindResult').length
    this.session.send(bindOf(bindId, overrides))
    return this.message('bindResult', before)
  }

  closed(): Promise<SessionEnding> {
    return this.#first(() => this.ending ?? undefined) as Promise<SessionEnding>
  }

  #first(find: () => unknown): Promise<unknown> {
    const found = find()
    if (found !== undefined) return Promise.resolve(found)
    return new Promise((resolve) => this.#waiters.push({ find, resolve }))
  }

  #notify(): void {
    for (const { find, resolve } of this.#waiters) {
      const found = find()
      if (found !== undefined) resolve(found)
    }
  }
}
