import * as nodeModule from 'node:module'
import { weighBuffersWithHeap } from '@tunnel/session-protocol'
import { startAgent } from '../agent.ts'
import { buildFacts } from '../build-facts.ts'
import { ConfigError, readApiAccess, readConfig, readSupervisor } from '../config.ts'
import { keyIdOf } from '@tunnel/agent-release'
import { doctor } from '../doctor/doctor.ts'
import { ExitCode } from './exit-codes.ts'
import { createLogger } from './logger.ts'
import { canExec, execAgain, findHindrances } from './restart.ts'
import { ConnectError } from '../session/connect-error.ts'
import { sshHostCert } from '../ssh/host-cert-command.ts'
import { HostCertError } from '../ssh/host-cert-error.ts'
import { readHostCertOptions } from '../ssh/host-cert-options.ts'
import { ApiCallError } from '../ssh/management-api.ts'
import { LockHeldError } from '../store/process-lock.ts'
import { reportTo } from './supervisor.ts'

/** How the program was started. */
export interface Launch {
  /** By the launcher, which can start another version. */
  readonly isLaunched: boolean
  readonly onReady?: () => void
}

const usage = `usage: agent [command]

  run       local API, session and tunnels (the default)
  doctor    reaches the service step by step and names what fails
  version   version, platform and release key ids
  ssh-host-cert --ca ID
            certificates for the host keys of this machine
`

/** Runs one command; ends the process when it is done. */
export async function runProgram(args: readonly string[], launch: Launch): Promise<void> {
  const [name = 'run', ...rest] = args
  const command = name === 'ssh-host-cert' || rest.length === 0 ? commands[name] : undefined
  if (command === undefined) {
    console.error(usage)
    process.exit(ExitCode.usage)
  }
  try {
    await command(launch, rest)
  } catch (error) {
    fail(error)
  }
}

type Command = (launch: Launch, args: readonly string[]) => void | Promise<void>

const commands: Readonly<Record<string, Command>> = { run, doctor: runDoctor, version, 'ssh-host-cert': certifyHost }

async function run({ isLaunched, onReady }: Launch): Promise<void> {
  weighBuffersWithHeap()
  const config = readConfig(process.env)
  // Before anybody is told that this process is ready to be signalled.
  const stopped = stopSignal()
  const supervisorFacts = readSupervisor(process.env)
  const log = createLogger()
  const hindrances = findHindrances(supervisorFacts.isPresent, isLaunched)
  const agent = await startAgent(config, { log, hindrances })
  const supervisor = reportTo(supervisorFacts)
  supervisor.ready()
  onReady?.()
  console.log(`listening local-api ${agent.apiUrl}\nready`)
  log.info({ version: buildFacts.version, localApi: agent.apiUrl }, 'ready')
  keepCompiledCode(nodeModule)
  const end = await Promise.race([stopped, agent.told])
  log.info({ end }, 'stopping')
  supervisor[Symbol.dispose]()
  await agent[Symbol.asyncDispose]()
  if (end === 'stop') process.exit(ExitCode.stopped)
  if (supervisorFacts.isPresent || !canExec()) process.exit(ExitCode.restart)
  execAgain()
}

/** Now, because a device may never come to its orderly end. Node 20 has no such cache. */
function keepCompiledCode({ flushCompileCache }: Partial<Pick<typeof nodeModule, 'flushCompileCache'>>): void {
  flushCompileCache?.()
}

async function runDoctor(): Promise<void> {
  const isWell = await doctor(readConfig(process.env), (line) => console.log(line))
  process.exit(isWell ? ExitCode.stopped : ExitCode.failure)
}

async function certifyHost(_launch: Launch, args: readonly string[]): Promise<void> {
  const options = readHostCertOptions(args)
  const stop = new AbortController()
  if (options.isWatching) void stopSignal().then(() => stop.abort())
  const output = { print: console.log, warn: console.error }
  await sshHostCert(options, readApiAccess(process.env), output, stop.signal)
  process.exit(ExitCode.stopped)
}

function version(): void {
  const keys = buildFacts.releaseRoots.map(keyIdOf).join(',') || 'none'
  console.log(
    `agent ${buildFacts.version} ${process.platform}-${process.arch} node ${process.version} release-keys ${keys}`,
  )
}

function stopSignal(): Promise<'stop'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve('stop'))
  })
}

function fail(error: unknown): never {
  const isExpected = [ConfigError, LockHeldError, ConnectError, ApiCallError, HostCertError].some(
    (type) => error instanceof type,
  )
  console.error(isExpected ? (error as Error).message : error)
  if (error instanceof ConfigError) process.exit(ExitCode.usage)
  process.exit(error instanceof ConnectError ? ExitCode.secretsUnreadable : ExitCode.failure)
}
