import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { toDuplex } from '@tunnel/session-protocol'
import { AgentMetrics } from './agent-metrics.ts'
import { type AgentSession, bindRequestOf, createAgentSession } from './agent-session.ts'
import { describeAgent } from './agent-status.ts'
import { openAgentStore } from './agent-store.ts'
import { createAgentUpdate, openUpdateState } from './agent-update.ts'
import type { Config } from './config.ts'
import { createLocalApi } from './local-api/local-api.ts'
import type { Logger } from './cli/logger.ts'
import { ownApiBind } from './own-api.ts'
import { type AgentEnd, type Hindrances, RemoteManagement } from './remote-management.ts'
import { RunningParts } from './running-parts.ts'
import { CommandHandler } from './session/commands.ts'
import { readAuthtoken } from './session/hello.ts'
import { IdentityKeeper, parseIdentity, readMachineFingerprint } from './session/identity.ts'
import { DurableFile } from './store/durable-file.ts'
import { acquireProcessLock } from './store/process-lock.ts'
import { createDefaultPolicy, readPolicyFile } from './tunnels/policy.ts'
import { Tunnels } from './tunnels/tunnels.ts'

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
  const { log, readFingerprint = readMachineFingerprint, random = Math.random } = surroundings
  await mkdir(config.stateDir, { recursive: true, mode: 0o700 })
  parts.use(await acquireProcessLock(join(config.stateDir, 'agent.lock')))
  await readAuthtoken(config.authtoken)
  await createDefaultPolicy(config.defaultPolicyFile)
  const metrics = new AgentMetrics()
  const identity = await openIdentity(config, log, await readFingerprint())
  parts.defer(() => identity.idle())
  const store = await openAgentStore(config.stateDir, log, metrics)
  const updateState = await openUpdateState(config, log)
  const management = new RemoteManagement(config, surroundings.hindrances, () => updater.begin())
  const ownBind = await ownApiBind(config, log)
  let ownPort = config.apiListen.port

  const tunnels: Tunnels = new Tunnels({
    store,
    binder: {
      get zone() {
        return identity.current.zone
      },
      bind: (draft) => session.bindings.bind(draft),
      keep: (record) => session.bindings.ensure(bindRequestOf(record)),
      unbind: (id) => session.bindings.unbind(id),
    },
    readDefaultPolicy: () => readPolicyFile(config.defaultPolicyFile),
    reservedDomain: config.agentDomain,
    forbiddenUpstreams: () => ({ ownPort }),
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
  const api = createLocalApi({
    tunnels,
    observations: {
      isSessionOnline: () => session.connector.state.kind === 'online',
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
    isApiHealthy: async () => (await fetch(new URL('/healthz', apiUrl))).ok,
    restart: () => management.restart(),
  })
  parts.defer(() => api.close())
  await api.listen(config.apiListen)
  const address = api.server.address() as AddressInfo
  ownPort = address.port
  const apiUrl = urlOf(address)
  parts.use(session)
  session.start()
  parts.use(trial)
  trial.start()
  return { apiUrl, told: management.told, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() }
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
