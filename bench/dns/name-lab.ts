import { join } from 'node:path'
import { freePort, startService, tempDir } from '@tunnel/testkit'

/** A whole service with DNS, which nobody else talks to. */
export interface NameLab extends AsyncDisposable {
  readonly pid: number
  readonly dns: { readonly host: string; readonly port: number }
  readonly edgePort: number
}

export async function startNameLab(): Promise<NameLab> {
  await using stack = new AsyncDisposableStack()
  const { path: dir } = stack.use(await tempDir())
  const dns = { host: '127.0.0.1', port: await freePort() }
  const env = {
    SERVICE_DNS_LISTEN: `${dns.host}:${dns.port}`,
    SERVICE_DNS_RESOLVERS: '127.0.0.1:9',
    SERVICE_ACME_DIRECTORY: 'https://127.0.0.1:9/dir',
  }
  const service = stack.use(await startService({ dataDir: join(dir, 'service'), zone: 'svc.test', env }))
  const owned = stack.move()
  return {
    pid: service.process.pid,
    dns,
    edgePort: service.ports.edgeHttps,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
