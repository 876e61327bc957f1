#!/usr/bin/env node
import { startAgent } from './agent.ts'
import { ConfigError, readConfig } from './config.ts'
import { ExitCode } from './exit-codes.ts'
import { createLogger } from './logger.ts'
import { LockHeldError } from './store/process-lock.ts'
import { agentVersion } from './version.ts'

const usage = `usage: agent [command]

  run       local API, session and tunnels (the default)
  version   version and platform
`

async function run(): Promise<void> {
  const log = createLogger()
  const agent = await startAgent(readConfig(process.env), log)
  log.info({ version: agentVersion }, 'ready')
  await stopSignal()
  log.info('stopping')
  await agent[Symbol.asyncDispose]()
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
}

function printVersion(): void {
  console.log(`agent ${agentVersion} ${process.platform}-${process.arch} node ${process.version}`)
}

function fail(error: unknown): never {
  console.error(error instanceof ConfigError || error instanceof LockHeldError ? error.message : error)
  process.exit(error instanceof ConfigError ? ExitCode.usage : ExitCode.failure)
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
