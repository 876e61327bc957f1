import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import { createLocalApi } from './local-api/local-api.ts'
import type { Logger } from './logger.ts'
import { RunningParts } from './running-parts.ts'
import { DurableFile } from './store/durable-file.ts'
import { acquireProcessLock } from './store/process-lock.ts'
import { RecordStore } from './store/record-store.ts'
import { createDefaultPolicy, readPolicyFile } from './tunnels/policy.ts'
import { parseTunnelEnvelope, type TunnelRecord } from './tunnels/tunnel-record.ts'
import { Tunnels } from './tunnels/tunnels.ts'
import { agentVersion } from './version.ts'

export interface Agent extends AsyncDisposable {
  /** Where the local API listens, `http://host:port`. */
  readonly apiUrl: string
}

/**
 * Starts every part of the agent in order; disposing stops them in reverse. The local API is up when this settles,
 * with or without a network.
 */
export async function startAgent(config: Config, log: Logger): Promise<Agent> {
  const parts = new RunningParts()
  try {
    return await startParts(config, log, parts)
  } catch (error) {
    await parts[Symbol.asyncDispose]()
    throw error
  }
}

async function startParts(config: Config, log: Logger, parts: RunningParts): Promise<Agent> {
  await mkdir(config.stateDir, { recursive: true, mode: 0o700 })
  parts.use(await acquireProcessLock(join(config.stateDir, 'agent.lock')))
  await createDefaultPolicy(config.defaultPolicyFile)
  const store = await openStore(config, log)
  let port = config.apiListen.port
  const tunnels = new Tunnels({
    store,
    binder: { zone: null, bind: async () => null, unbind: async () => undefined },
    readDefaultPolicy: () => readPolicyFile(config.defaultPolicyFile),
    reservedDomain: config.agentDomain,
    forbiddenUpstreams: () => ({ ownPort: port }),
  })
  const api = createLocalApi({
    tunnels,
    observations: {
      isSessionOnline: () => false,
      status: () => ({ agent_version: agentVersion }),
      metrics: async () => '',
    },
    guard: { listenHost: config.apiListen.host, agentDomain: config.agentDomain },
    onFailure: (error) => log.error({ err: error }, 'local api request failed'),
  })
  parts.defer(() => api.close())
  await api.listen(config.apiListen)
  port = (api.server.address() as AddressInfo).port
  const apiUrl = listeningUrl(api)
  log.info({ address: apiUrl }, 'local api listening')
  return { apiUrl, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() }
}

async function openStore({ stateDir }: Config, log: Logger): Promise<RecordStore<TunnelRecord>> {
  const onDamage = (problem: string) => log.error({ problem }, 'tunnel store damaged')
  const file = new DurableFile({ path: join(stateDir, 'tunnels.json'), parse: parseTunnelEnvelope, onDamage })
  return RecordStore.open(file)
}

function listeningUrl(api: FastifyInstance): string {
  const { address, family, port } = api.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
