#!/usr/bin/env node
import { startAgent } from './agent.ts'
import { ConfigError, isSupervised, readConfig } from './config.ts'
import { ExitCode } from './exit-codes.ts'
import { createLogger } from './logger.ts'
import { canExec, execAgain, restartHindrance } from './restart.ts'
import { ConnectError } from './session/connect-error.ts'
import { LockHeldError } from './store/process-lock.ts'
import { agentVersion } from './version.ts'

const usage = `usage: agent [command]

  run       local API, session and tunnels (the default)
  version   version and platform
`

async function run(): Promise<never> {
  const config = readConfig(process.env)
  const log = createLogger()
  const underSupervisor = isSupervised(process.env)
  const agent = await startAgent(config, { log, restartHindrance: restartHindrance(underSupervisor) })
  console.log(`listening local-api ${agent.apiUrl}\nready`)
  log.info({ version: agentVersion, localApi: agent.apiUrl }, 'ready')
  const end = await Promise.race([stopSignal(), agent.told])
  log.info({ end }, 'stopping')
  await agent[Symbol.asyncDispose]()
  if (end === 'stop') process.exit(ExitCode.stopped)
  if (underSupervisor || !canExec()) process.exit(ExitCode.restart)
  return execAgain()
}

function stopSignal(): Promise<'stop'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve('stop'))
  })
}

function printVersion(): void {
  console.log(`agent ${agentVersion} ${process.platform}-${process.arch} node ${process.version}`)
}

function fail(error: unknown): never {
  const isExpected = error instanceof ConfigError || error instanceof LockHeldError || error instanceof ConnectError
  console.error(isExpected ? error.message : error)
  if (error instanceof ConfigError) process.exit(ExitCode.usage)
  process.exit(error instanceof ConnectError ? ExitCode.secretsUnreadable : ExitCode.failure)
}

const commands: Readonly<Record<string, () => void | Promise<void>>> = { run, version: printVersion }

const [name = 'run', ...extra] = process.argv.slice(2)
const command = extra.length === 0 ? commands[name] : undefined
if (command === undefined) {
  console.error(usage)
  process.exit(ExitCode.usage)
}
try {
  await command()
} catch (error) {
  fail(error)
}
