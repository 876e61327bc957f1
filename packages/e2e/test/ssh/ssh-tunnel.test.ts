import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasOpenSsh, runProcess, startAgent, startProcess, startService, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { startByteBridge } from './byte-bridge.ts'
import { deviceName, startFleet } from './fleet.ts'

const agentProgram = join(import.meta.dirname, '../../../../apps/device-agent/src/main.ts')
const proxyProgram = join(import.meta.dirname, 'upgrade-proxy.ts')

it.skipIf(!hasOpenSsh)('ssh through a tunnel trusts a device by its certificate, and only by that', async () => {
  await using stack = new AsyncDisposableStack()
  const { path: dir } = stack.use(await tempDir())
  const service = stack.use(await startService({ dataDir: join(dir, 'service') }))
  const account = await service.createAccount()
  const fleet = stack.use(await startFleet())
  const bridge = stack.use(await startByteBridge(fleet.sshd.port))
  const agent = stack.use(
    await startAgent({
      stateDir: join(dir, 'agent'),
      authtoken: (await account.createAuthtoken()).token,
      connectUrl: service.connectUrl(),
      caFile: service.caFile,
    }),
  )
  const domain = `ssh.${service.zone}`
  await agent.createTunnel({ forwards_to: `127.0.0.1:${bridge.port}`, domain })
  const proxy = `'${process.execPath}' '${proxyProgram}' ${service.ports.edgeHttp} ${domain}`
  fleet.setRoute([`Host ${deviceName}`, `ProxyCommand ${proxy}`, 'StrictHostKeyChecking yes'])

  const authority = (await account.call('POST', '/ssh_certificate_authorities', {})) as Record<
    'id' | 'public_key',
    string
  >
  const trusted = `@cert-authority *.tunnel.example.com ${authority.public_key}\n`
  const ssh = () => login(fleet.clientDir, fleet.sshd.user)
  writeFileSync(join(fleet.clientDir, 'known_hosts'), trusted)
  expect((await ssh()).output).toContain('Host key verification failed')

  const certify = ['ssh-host-cert', '--ca', authority.id, '--keys-dir', fleet.deviceDir]
  const env = { SERVICE_API_URL: service.apiUrl, SERVICE_API_KEY: account.apiKey }
  const forName = (name: string) =>
    runProcess(process.execPath, [agentProgram, ...certify, '--principal', name], { env })
  await forName('another.tunnel.example.com')
  expect((await ssh()).output).toContain('name is not a listed principal')

  await forName(deviceName)
  expect(await ssh()).toEqual({ code: 0, output: 'in\n' })
})

async function login(clientDir: string, user: string): Promise<{ code: number | null; output: string }> {
  const parameters = ['-F', join(clientDir, 'config'), `${user}@${deviceName}`, 'echo in']
  await using ssh = await startProcess('ssh', parameters)
  const { code } = await ssh.exited
  return { code, output: ssh.output() }
}
