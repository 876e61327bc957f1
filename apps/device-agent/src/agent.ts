import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { toDuplex } from '@tunnel/session-protocol'
import { AgentMetrics } from './agent-metrics.ts'
import { type AgentSession, bindRequestOf, createAgentSession } from './agent-session.ts'
import { describeAgent } from './agent-status.ts'
import { type AgentStore, openAgentStore } from './agent-store.ts'
import { createAgentUpdate, openUpdateState } from './agent-update.ts'
import type { Config } from './config.ts'
import { createLocalApi } from './local-api/local-api.ts'
import type { Logger } from './cli/logger.ts'
import { ownApiBind, warnOfNeighbours } from './own-api.ts'
import { type AgentEnd, type Hindrances, RemoteManagement } from './remote-management.ts'
import { RunningParts } from './running-parts.ts'
import type { BindRequest } from './session/bindings.ts'
import { CommandHandler } from './session/commands.ts'
import { readAuthtoken } from './session/hello.ts'
import { IdentityKeeper, parseIdentity, readMachineFingerprint } from './session/identity.ts'
import { DurableFile } from './store/durable-file.ts'
import { acquireProcessLock } from './store/process-lock.ts'
import { createDefaultPolicy, readPolicyFile } from './tunnels/policy.ts'
import { Tunnels } from './tunnels/tunnels.ts'
import type { UpdateStateKeeper } from './update/update-state-keeper.ts'

export interface Agent extends AsyncDisposable {
  /** Where the local API listens, `http://host:port`. */
  readonly apiUrl: string
  /** Settles when the service has told this agent to end. */
  readonly told: Promise<AgentEnd>
}

export interface AgentSurroundings {
  readonly log: Logger
  readonly hindrances: Hindrances
  readonly readFingerprint?: () => Promise<string | null>
  /** In [0, 1); what spreads the retries of a fleet. */
  readonly random?: () => number
}

/**
 * Starts every part of the agent in order; disposing stops them in reverse. The local API is up when this settles,
 * with or without a network.
 */
export async function startAgent(config: Config, surroundings: AgentSurroundings): Promise<Agent> {
  const parts = new RunningParts()
  try {
    return await startParts(config, surroundings, parts)
  } catch (error) {
    await parts[Symbol.asyncDispose]()
    throw error
  }
}

async function startParts(config: Config, surroundings: AgentSurroundings, parts: RunningParts): Promise<Agent> {
  const foundations = await openFoundations(config, surroundings, parts)
  const { api, session, management, trial, place } = connectParts(config, surroundings, foundations)
  parts.defer(() => api.close())
  await api.listen(config.apiListen)
  place.api = api.server.address() as AddressInfo
  warnOfNeighbours(place.api.address, surroundings.log)
  parts.use(session)
  session.start()
  parts.use(trial)
  trial.start()
  const { told } = management
  return { apiUrl: urlOf(place.api), told, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() }
}

/** What comes from the state directory. */
interface Foundations {
  readonly metrics: AgentMetrics
  readonly identity: IdentityKeeper
  readonly store: AgentStore
  readonly updateState: UpdateStateKeeper
  readonly ownBind: BindRequest | null
}

async function openFoundations(
  config: Config,
  { log, readFingerprint = readMachineFingerprint }: AgentSurroundings,
  parts: RunningParts,
): Promise<Foundations> {
  const metrics = new AgentMetrics()
  await takeStateDir(config, log, parts)
  await readAuthtoken(config.authtoken)
  const identity = await openIdentity(config, log, await readFingerprint())
  parts.defer(() => identity.idle())
  const store = await openAgentStore(config.stateDir, log, metrics)
  const updateState = await openUpdateState(config, log)
  return { metrics, identity, store, updateState, ownBind: await ownApiBind(config, log) }
}

/** A disk that is full or cannot be written is no reason to stay offline: what is stored is still served. */
async function takeStateDir({ stateDir, defaultPolicyFile }: Config, log: Logger, parts: RunningParts): Promise<void> {
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 })
    parts.use(await acquireProcessLock(join(stateDir, 'agent.lock')))
    await createDefaultPolicy(defaultPolicyFile)
  } catch (error) {
    if (!isDiskRefusal(error)) throw error
    log.error({ err: error }, 'the state directory cannot be written')
  }
}

function connectParts(config: Config, surroundings: AgentSurroundings, foundations: Foundations) {
  const { log, hindrances, random = Math.random } = surroundings
  const { metrics, identity, store, updateState, ownBind } = foundations
  /** Where the API listens, once it does. */
  const place: { api: AddressInfo | null } = { api: null }
  const management = new RemoteManagement(config, hindrances, () => updater.begin())
  const tunnels: Tunnels = new Tunnels({
    store,
    binder: {
      get zone() {
        return identity.current.zone
      },
      bind: (draft) => session.bindings.bind(bindRequestOf({ ...draft, isDomainChosen: true })),
      keep: (record) => session.bindings.ensure(bindRequestOf(record)),
      unbind: (id) => session.bindings.unbind(id),
    },
    readDefaultPolicy: () => readPolicyFile(config.defaultPolicyFile),
    reservedDomain: config.agentDomain,
    forbiddenUpstreams: () => ({ ownPort: place.api?.port ?? config.apiListen.port }),
  })
  const session: AgentSession = createAgentSession({
    config,
    log,
    metrics,
    identity,
    tunnels,
    capabilities: management.capabilities,
    commands: new CommandHandler(management.capabilities, management),
    ownApi: {
      bind: ownBind,
      serve: (stream) => void api.server.emit('connection', toDuplex(stream)),
      drain: () => api.server.closeIdleConnections(),
    },
    lastUpdate: () => updateState.current.last,
    random,
  })
  metrics.watch('agent_session_up', 'Whether there is a session', () => Number(isOnline(session)))
  metrics.watch('agent_streams_open', 'Streams that are open now', () => session.connector.streamCount)
  metrics.watch('agent_tunnels', 'Tunnels that shall exist', () => store.records.length)
  const api = createLocalApi({
    tunnels,
    observations: {
      isSessionOnline: () => isOnline(session),
      status: () => describeAgent({ config, identity: identity.current, session, store, update: updateState.current }),
      metrics: () => metrics.text(),
    },
    guard: { listenHost: config.apiListen.host, agentDomain: config.agentDomain },
    onFailure: (error) => log.error({ err: error }, 'local api request failed'),
  })
  const { updater, trial } = createAgentUpdate({
    config,
    log,
    state: updateState,
    session: () => session,
    tunnelCount: () => store.records.length,
    isApiHealthy: async () => place.api !== null && (await fetch(`${urlOf(place.api)}/healthz`)).ok,
    restart: () => management.restart(),
  })
  return { api, session, management, trial, place }
}

function isOnline({ connector }: AgentSession): boolean {
  return connector.state.kind === 'online'
}

function isDiskRefusal(error: unknown): boolean {
  return ['EROFS', 'ENOSPC', 'EDQUOT', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')
}

async function openIdentity({ stateDir }: Config, log: Logger, machine: string | null): Promise<IdentityKeeper> {
  const onDamage = (problem: string): void => log.error({ problem }, 'identity file damaged')
  const file = new DurableFile({ path: join(stateDir, 'identity.json'), parse: parseIdentity, onDamage })
  const identity = await IdentityKeeper.open(file, machine)
  if (identity.isClone) log.warn('this state directory comes from another machine: continuing with a new identity')
  return identity
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
