import { join } from 'node:path'
import type { AgentSession } from './agent-session.ts'
import { type BuildFacts, buildFacts } from './build-facts.ts'
import type { Config } from './config.ts'
import type { Logger } from './cli/logger.ts'
import type { HttpRoute } from './network/http-client.ts'
import { Trust } from './network/trust.ts'
import { DurableFile } from './store/durable-file.ts'
import { ReleaseFiles } from './update/release-files.ts'
import { Trial } from './update/trial.ts'
import { parseUpdateState } from './update/update-state.ts'
import { UpdateStateKeeper } from './update/update-state-keeper.ts'
import { Updater } from './update/updater.ts'

export interface AgentUpdateOptions {
  readonly config: Config
  readonly log: Logger
  readonly state: UpdateStateKeeper
  readonly session: () => AgentSession
  readonly tunnelCount: () => number
  readonly isApiHealthy: () => Promise<boolean>
  readonly restart: () => void
  readonly build?: BuildFacts
}

export interface AgentUpdate {
  readonly updater: Updater
  readonly trial: Trial
}

const channel = 'stable'
const clockSkewMaxMs = 3_600_000

export async function openUpdateState({ stateDir }: Config, log: Logger): Promise<UpdateStateKeeper> {
  const onDamage = (problem: string): void => log.error({ problem }, 'update state damaged')
  return UpdateStateKeeper.open(
    new DurableFile({ path: join(stateDir, 'update.json'), parse: parseUpdateState, onDamage }),
  )
}

export function createAgentUpdate(options: AgentUpdateOptions): AgentUpdate {
  const { config, log, state, session, tunnelCount, isApiHealthy, restart, build = buildFacts } = options
  const route: HttpRoute = { proxy: config.proxy, trust: new Trust(config.connectCaFile) }
  const source = new URL(config.connectUrl.replace(/^ws/, 'http'))
  const files = new ReleaseFiles(config.stateDir)
  const isOnline = (): boolean => session().connector.state.kind === 'online'
  const updater = new Updater({
    isEnabled: config.isUpdateCheckOn,
    own: { agentVersion: build.version, nodeVersion: process.versions.node, channel },
    roots: build.releaseRoots,
    source,
    route,
    files,
    state,
    trustedNowMs: () => (Math.abs(session().clockSkewMs() ?? Infinity) < clockSkewMaxMs ? Date.now() : null),
    describeNow: () => ({ version: build.version, wasOnline: isOnline(), tunnelCount: tunnelCount() }),
    onStep: (step, detail) => log.info({ step, ...detail }, 'update'),
  })
  const trial = new Trial({
    ownVersion: build.version,
    state,
    files,
    pace: build.trial,
    isApiHealthy,
    tunnelCount,
    session: () => session().connector.describeTrial(),
    probe: { url: new URL('/healthz', source), route },
    onReachable: () => session().connector.retryNow(),
    onEnd: (verdict, reason) => {
      log.info({ verdict, reason }, 'update')
      if (verdict === 'rolled_back') restart()
    },
  })
  return { updater, trial }
}
