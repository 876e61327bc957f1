import type { AgentMessage, Hello, MuxStream, Welcome } from '@tunnel/session-protocol'
import type { AgentMetrics } from './agent-metrics.ts'
import { buildFacts } from './build-facts.ts'
import type { Config } from './config.ts'
import { StreamRouter } from './forward/stream-router.ts'
import type { Logger } from './cli/logger.ts'
import { Trust } from './network/trust.ts'
import { type BindRequest, Bindings } from './session/bindings.ts'
import type { Capabilities, CommandHandler } from './session/commands.ts'
import { type ConnectorListener, SessionConnector } from './session/connector.ts'
import { dial } from './session/dial.ts'
import { buildHello, readAuthtoken } from './session/hello.ts'
import { type IdentityKeeper, readBootId } from './session/identity.ts'
import { watchSurroundings } from './session/surroundings.ts'
import type { TunnelRecord } from './tunnels/tunnel-record.ts'
import type { TunnelDraft, Tunnels } from './tunnels/tunnels.ts'
import { parseUpstreamAddress } from './tunnels/upstream-address.ts'

export interface AgentSessionOptions {
  readonly config: Config
  readonly log: Logger
  readonly metrics: AgentMetrics
  readonly identity: IdentityKeeper
  readonly tunnels: Tunnels
  readonly capabilities: Capabilities
  readonly commands: CommandHandler
  /** The agent's own API as a tunnel, when it has a domain, and what serves its streams. */
  readonly ownApi: {
    readonly bind: BindRequest | null
    readonly serve: (stream: MuxStream) => void
    /** Ends what is only kept for reuse. */
    readonly drain: () => void
  }
  /** How the last update ended, for the next hello. */
  readonly lastUpdate: () => Hello['update'] | null
  readonly random: () => number
}

/** The session to the service and all that lives from it: binds, streams and commands. */
export interface AgentSession extends AsyncDisposable {
  readonly connector: SessionConnector
  readonly bindings: Bindings
  /** Clock of this device minus clock of the service; null until the service has told its time. */
  clockSkewMs(): number | null
  start(): void
}

export const ownApiBindId = 'agent-api'
const drainMs = 5000

export function createAgentSession(options: AgentSessionOptions): AgentSession {
  const { config, log, metrics, tunnels, ownApi, random } = options
  const router = new StreamRouter({
    findUpstream: (bindId) => upstreamOf(tunnels.find(bindId)),
    ownApi: { bindId: ownApiBindId, serve: ownApi.serve },
    onStreamClosed: ({ kind }) => metrics.streams.inc({ ending: kind }),
  })
  const bindings = new Bindings({
    wanted: () => [...tunnels.list().map(bindRequestOf), ...(ownApi.bind ? [ownApi.bind] : [])],
    onAddress: (id, url) => {
      tunnels.moveTo(id, url).catch((error: unknown) => log.error({ err: error }, 'new address not stored'))
    },
    onClosed: (id) => router.closeBind(id),
    onRefused: (id, { reason, message }) => log.warn({ url: urlOf(options, id), reason, message }, 'tunnel refused'),
    random,
  })
  let clockSkewMs: number | null = null
  const trust = new Trust(config.connectCaFile)
  const connector = new SessionConnector(
    { dial: (signal) => dial({ ...config, trust }, signal), buildHello: () => helloOf(options), random },
    listen(options, bindings, router, (skewMs) => (clockSkewMs = skewMs)),
  )
  const surroundings = watchSurroundings({
    onNetworkChange: (addresses) => connector.onNetworkChange(addresses),
    onClockStep: (stepMs) => {
      log.info({ stepMs }, 'clock was set')
      connector.retryNow()
    },
  })
  return {
    connector,
    bindings,
    clockSkewMs: () => clockSkewMs,
    start: () => connector.start(),
    async [Symbol.asyncDispose]() {
      surroundings[Symbol.dispose]()
      router.drain()
      ownApi.drain()
      await connector.stop(drainMs)
    },
  }
}

export function bindRequestOf(tunnel: TunnelDraft & Pick<TunnelRecord, 'isDomainChosen'>): BindRequest {
  const { id, protocol, domain, isDomainChosen, labels, policy, forwardsTo } = tunnel
  const upstreamProtocol = parseUpstreamAddress(forwardsTo).isHttp2 ? 'http2' : 'http1'
  return { id, protocol, domain: isDomainChosen ? domain : null, labels, policy, forwardsTo, upstreamProtocol }
}

function upstreamOf(record: TunnelRecord | undefined): ReturnType<typeof parseUpstreamAddress> | null {
  return record === undefined ? null : parseUpstreamAddress(record.forwardsTo)
}

function urlOf({ config, tunnels }: AgentSessionOptions, bindId: string): string {
  return tunnels.find(bindId)?.url ?? `https://${config.agentDomain}`
}

async function helloOf({ config, identity, capabilities, lastUpdate }: AgentSessionOptions): Promise<Hello> {
  return buildHello({
    agentVersion: buildFacts.version,
    authtoken: await readAuthtoken(config.authtoken),
    metadata: config.metadata,
    capabilities,
    identity: identity.current,
    bootId: await readBootId(identity.current.installId),
    update: lastUpdate(),
  })
}

function listen(
  options: AgentSessionOptions,
  bindings: Bindings,
  router: StreamRouter,
  onClockSkew: (skewMs: number) => void,
): ConnectorListener {
  const { log, metrics, identity, commands } = options
  let send: (message: AgentMessage) => void = () => undefined
  return {
    onOnline(session, welcome) {
      send = (message) => session.send(message)
      metrics.sessions.inc()
      onClockSkew(noteWelcome(options, welcome))
      bindings.attach(session)
    },
    onOffline: () => bindings.detach(),
    onMessage(message) {
      if (message.type === 'command') {
        log.info({ command: message.command }, 'command')
        void commands.handle(message, send)
      } else bindings.onMessage(message)
    },
    onStream: (stream) => router.accept(stream),
    async onRefused({ error }) {
      if (error.reason === 'duplicate_identity') await identity.forgetResume()
    },
    onRetryPlanned({ reason, message }, delayMs) {
      metrics.sessionFailures.inc({ reason })
      log.warn({ reason, message, retryInMs: Math.round(delayMs) }, 'no session')
    },
  }
}

function noteWelcome({ log, metrics, identity }: AgentSessionOptions, welcome: Welcome): number {
  const { sessionId, region, serverTime, deprecation } = welcome
  const skewMs = Date.now() - Date.parse(serverTime)
  metrics.clockSkew.set(skewMs / 1000)
  log.info({ sessionId, region }, 'session online')
  if (Math.abs(skewMs) > clockSkewMaxMs) log.warn({ skewMs }, 'the clock of this device is wrong')
  if (deprecation !== null) log.warn(deprecation, 'this agent version will be refused')
  void identity.remember(welcome)
  return skewMs
}

const clockSkewMaxMs = 60_000
