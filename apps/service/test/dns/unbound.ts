import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, startProcess, tempDir } from '@tunnel/testkit'

export interface RunningUnbound extends AsyncDisposable {
  readonly port: number
}

/** Starts a real recursor that asks `address@port` for each zone, with the strictest settings that resolvers use. */
export async function startUnbound(stubs: Readonly<Record<string, string>>): Promise<RunningUnbound> {
  const dir = await tempDir()
  const port = await freePort()
  const file = join(dir.path, 'unbound.conf')
  writeFileSync(file, configuration(port, stubs))
  const unbound = await startProcess('unbound', ['-d', '-c', file])
  await unbound.waitForOutput(/start of service/)
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      await unbound.stop()
      await dir[Symbol.asyncDispose]()
    },
  }
}

function configuration(port: number, stubs: Readonly<Record<string, string>>): string {
  const zones = Object.entries(stubs).map(
    ([name, address]) => `stub-zone:\n  name: "${name}"\n  stub-addr: ${address}\n`,
  )
  return `server:
  interface: 127.0.0.1
  port: ${port}
  do-not-query-localhost: no
  access-control: 127.0.0.0/8 allow
  qname-minimisation: yes
  qname-minimisation-strict: yes
  use-caps-for-id: yes
  module-config: "iterator"
  chroot: ""
  username: ""
  directory: "/"
  pidfile: ""
  use-syslog: no
  logfile: ""
  verbosity: 1
  local-zone: "test." nodefault
remote-control:
  control-enable: no
${zones.join('')}`
}
