#!/usr/bin/env node
import { startAgent } from './agent.ts'
import { ConfigError, isSupervised, readApiAccess, readConfig } from './config.ts'
import { ExitCode } from './exit-codes.ts'
import { createLogger } from './logger.ts'
import { canExec, execAgain, restartHindrance } from './restart.ts'
import { ConnectError } from './session/connect-error.ts'
import { sshHostCert } from './ssh/host-cert-command.ts'
import { HostCertError } from './ssh/host-cert-error.ts'
import { readHostCertOptions } from './ssh/host-cert-options.ts'
import { ApiCallError } from './ssh/management-api.ts'
import { LockHeldError } from './store/process-lock.ts'
import { agentVersion } from './version.ts'

const usage = `usage: agent [command]

  run       local API, session and tunnels (the default)
  version   version and platform
  ssh-host-cert --ca ID
            certificates for the host keys of this machine
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
  const isExpected = [ConfigError, LockHeldError, ConnectError, ApiCallError, HostCertError].some(
    (type) => error instanceof type,
  )
  console.error(isExpected ? (error as Error).message : error)
  if (error instanceof ConfigError) process.exit(ExitCode.usage)
  process.exit(error instanceof ConnectError ? ExitCode.secretsUnreadable : ExitCode.failure)
}

async function certifyHost(argv: readonly string[]): Promise<void> {
  const options = readHostCertOptions(argv)
  const stop = new AbortController()
  if (options.isWatching) void stopSignal().then(() => stop.abort())
  const output = { print: console.log, warn: console.error }
  await sshHostCert(options, readApiAccess(process.env), output, stop.signal)
  process.exit(ExitCode.stopped)
}

type Command = (argv: readonly string[]) => void | Promise<void>

const [name = 'run', ...argv] = process.argv.slice(2)
const plainCommands: Readonly<Record<string, Command>> = argv.length === 0 ? { run, version: printVersion } : {}
const commands: Readonly<Record<string, Command>> = { ...plainCommands, 'ssh-host-cert': certifyHost }
const command = commands[name]
if (command === undefined) {
  console.error(usage)
  process.exit(ExitCode.usage)
}
try {
  await command(argv)
} catch (error) {
  fail(error)
}
