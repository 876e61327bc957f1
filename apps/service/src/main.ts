import { ConfigError, readConfig } from './config.ts'
import { startService } from './service.ts'

const exitCodes = { wrongUsage: 64, failure: 70 }

async function serve(): Promise<void> {
  const service = await startService(readConfig(process.env))
  for (const { name, url } of service.listeners) console.log(`listening ${name} ${url}`)
  console.log('ready')
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      void service[Symbol.asyncDispose]().then(() => process.exit(0))
    })
}

try {
  await serve()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(error instanceof ConfigError ? exitCodes.wrongUsage : exitCodes.failure)
}
