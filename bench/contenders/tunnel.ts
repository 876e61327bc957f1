import { join } from 'node:path'
import { type RunningAgent, type RunningService, startAgent, startService } from '@tunnel/testkit'
import type { Contender } from './contender.ts'

export interface TunnelContender extends Contender {
  readonly service: RunningService
  readonly agent: RunningAgent
}

/** Our service and one agent, as processes that log to files. `viaPort` may put a slow link between them. */
export async function startTunnel(
  stack: AsyncDisposableStack,
  dir: string,
  originPort: number,
  carrier: 'tls' | 'plain',
  viaPort: (servicePort: number) => Promise<number> = (port) => Promise.resolve(port),
): Promise<TunnelContender> {
  const service = stack.use(
    await startService({ dataDir: join(dir, `service-${carrier}`), logFile: join(dir, `service-${carrier}.log`) }),
  )
  const account = await service.createAccount()
  const { token } = await account.createAuthtoken()
  const connectUrl = new URL(service.connectUrl(carrier))
  connectUrl.port = String(await viaPort(Number(connectUrl.port)))
  const agent = stack.use(
    await startAgent({
      stateDir: join(dir, `agent-${carrier}`),
      logFile: join(dir, `agent-${carrier}.log`),
      authtoken: token,
      connectUrl: connectUrl.href,
      caFile: service.caFile,
    }),
  )
  await agent.untilOnline()
  const host = `bench.${service.zone}`
  await agent.createTunnel({ forwards_to: `127.0.0.1:${originPort}`, domain: host })
  return {
    name: `ours, session ${carrier === 'tls' ? 'in TLS' : 'in plain'}`,
    port: service.ports.edgeHttp,
    host,
    processes: [service.process.pid, agent.process.pid],
    service,
    agent,
  }
}
