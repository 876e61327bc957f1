import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { startProcess } from '../running-process.ts'
import { tempDir } from '../temp-dir.ts'

export interface RunningUnbound extends AsyncDisposable {
  readonly address: string
  readonly port: number
}

/** Starts a real recursor that asks `address[@port]` for each zone, with the strictest settings that resolvers use. */
export async function startRecursor(zones: Readonly<Record<string, string>>): Promise<RunningUnbound> {
  const stubs = Object.entries(zones).map(
    ([name, address]) => `stub-zone:\n  name: "${name}"\n  stub-addr: ${address}\n`,
  )
  return startUnbound('127.0.0.1', await freePort(), stubs)
}

/** Starts an authoritative server at port 53 of a loopback address, as a registrar or a customer runs one. Needs root. */
export async function startNameServer(
  address: string,
  zones: Readonly<Record<string, readonly string[]>>,
): Promise<RunningUnbound> {
  const dir = await tempDir()
  const files = await Promise.all(
    Object.entries(zones).map(async ([apex, records]) => {
      const file = join(dir.path, `${apex}zone`)
      await writeFile(
        file,
        `$ORIGIN ${apex}\n$TTL 1\n@ SOA ns hostmaster 1 7200 900 1209600 1\n@ NS ns\nns A ${address}\n${records.join('\n')}\n`,
      )
      return `auth-zone:\n  name: "${apex}"\n  zonefile: "${file}"\n  for-downstream: yes\n  for-upstream: no\n  fallback-enabled: no\n`
    }),
  )
  const unbound = await startUnbound(address, 53, files)
  return {
    ...unbound,
    [Symbol.asyncDispose]: async () => {
      await unbound[Symbol.asyncDispose]()
      await dir[Symbol.asyncDispose]()
    },
  }
}

async function startUnbound(address: string, port: number, clauses: readonly string[]): Promise<RunningUnbound> {
  const dir = await tempDir()
  const file = join(dir.path, 'unbound.conf')
  await writeFile(file, settings(address, port) + clauses.join(''))
  const unbound = await startProcess('unbound', ['-d', '-c', file])
  await unbound.waitForOutput(/start of service/)
  return {
    address,
    port,
    [Symbol.asyncDispose]: async () => {
      await unbound.stop()
      await dir[Symbol.asyncDispose]()
    },
  }
}

function settings(address: string, port: number): string {
  return `server:
  interface: ${address}
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
`
}
