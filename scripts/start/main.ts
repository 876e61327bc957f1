import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ProcessGroup } from './process-group.ts'
import { type FirstRun, prepareAccount, prepareAuthtoken } from './first-run.ts'
import { ensureTunnel, waitUntilPublished } from './sample-tunnel.ts'
import { printWelcome } from './welcome.ts'

const dataRoot = resolve(process.env['START_DATA_DIR'] ?? 'data')
const readyWithinMs = 60_000

/**
 * Brings the whole product up on this machine: service, one agent, and a sample program behind it.
 * What exists from an earlier run is used again. Ends, with all of it, on SIGINT and SIGTERM.
 */
async function start(group: ProcessGroup): Promise<void> {
  const serviceDir = process.env['SERVICE_DATA_DIR'] ?? join(dataRoot, 'service')
  const serviceEnv = { ...process.env, SERVICE_DATA_DIR: serviceDir }
  const startDir = join(dataRoot, 'start')
  mkdirSync(startDir, { recursive: true, mode: 0o700 })

  const account = await prepareAccount(startDir, serviceEnv)
  const service = await group.launch('service', ['apps/service/src/main.ts', 'serve'], serviceEnv, readyWithinMs)
  const firstRun: FirstRun | null = account && (await prepareAuthtoken(startDir, service.address('api'), account))
  const sample = await group.launch('sample', ['scripts/start/sample-program.ts'], process.env, readyWithinMs)

  const zone = process.env['SERVICE_ZONE'] ?? 'tunnel.localhost'
  const agent = await group.launch('agent', ['apps/device-agent/src/main.ts', 'run'], agentEnv(), readyWithinMs)
  const tunnel = await ensureTunnel(agent.address('local-api'), `hello.${zone}`, new URL(sample.address('http')).host)
  await waitUntilPublished(new URL(tunnel.url).hostname, service.address('edge-http'), readyWithinMs)
  printWelcome({
    tunnelHost: new URL(tunnel.url).hostname,
    service,
    agent,
    firstRun,
    caFile: join(serviceDir, 'local-ca.pem'),
  })

  function agentEnv(): NodeJS.ProcessEnv {
    const httpsPort = new URL(service.address('edge-https')).port
    return {
      ...process.env,
      AGENT_STATE_DIR: process.env['AGENT_STATE_DIR'] ?? join(dataRoot, 'agent'),
      SERVICE_AUTHTOKEN_FILE: join(startDir, 'authtoken'),
      SERVICE_CONNECT_URL: process.env['SERVICE_CONNECT_URL'] ?? `wss://connect.${zone}:${httpsPort}`,
      SERVICE_CONNECT_CA_FILE: process.env['SERVICE_CONNECT_CA_FILE'] ?? join(serviceDir, 'local-ca.pem'),
    }
  }
}

const group = new ProcessGroup((name, code) => {
  console.error(`The ${name} ended by itself (${code}); its messages are above. Stopping the rest.`)
  void group.stop().then(() => process.exit(1))
})

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    void group.stop().then(() => process.exit(0))
  })

try {
  await start(group)
} catch (error) {
  if (!group.isStopping) {
    console.error(error instanceof Error ? error.message : error)
    await group.stop()
    process.exit(1)
  }
}
