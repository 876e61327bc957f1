import { weighBuffersWithHeap } from '@tunnel/session-protocol'
import { commandUsage, runCli } from './cli/run-cli.ts'
import { ConfigError, readConfig } from './config.ts'
import { type Service, startService } from './service.ts'

const exitCodes = { done: 0, wrongUsage: 64, failure: 70 }
const usage = `Usage: service COMMAND\n  serve\n${commandUsage}`

const [command, ...rest] = process.argv.slice(2)
if (command === 'serve' && rest.length === 0) await serve()
else if (command === undefined || command === 'help' || command === '--help') console.log(usage)
else process.exitCode = await runCli(process.argv.slice(2), process.env, process)

async function serve(): Promise<void> {
  weighBuffersWithHeap()
  try {
    const service = await startService(readConfig(process.env))
    stopOnSignal(service)
    for (const { name, url } of service.listeners) console.log(`listening ${name} ${url}`)
    console.log('ready')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(error instanceof ConfigError ? exitCodes.wrongUsage : exitCodes.failure)
  }
}

function stopOnSignal(service: Service): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      void service[Symbol.asyncDispose]().then(() => process.exit(exitCodes.done))
    })
}
