import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startProcess, freePort, untilListening } from '@tunnel/testkit'
import type { Contender } from './contender.ts'

/** HAProxy as a plain reverse proxy on one thread: not a tunnel, but the bound for anything that parses HTTP. */
export async function startHaproxy(stack: AsyncDisposableStack, dir: string, originPort: number): Promise<Contender> {
  const port = await freePort()
  const config = join(dir, 'haproxy.cfg')
  await writeFile(config, haproxyConfig(port, originPort))
  const haproxy = stack.use(await startProcess('haproxy', ['-db', '-f', config]))
  await untilListening(port)
  return { name: 'HAProxy, no tunnel', port, host: 'origin', processes: [haproxy.pid] }
}

function haproxyConfig(port: number, originPort: number): string {
  return `
global
  nbthread 1
defaults
  mode http
  http-reuse always
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend visitors
  bind 127.0.0.1:${port}
  default_backend origin
backend origin
  server origin 127.0.0.1:${originPort}
`
}
