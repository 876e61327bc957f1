import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasOpenSsh, runProcess, startAgent, startProcess, startService, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { type Fleet, deviceName, startFleet } from './fleet.ts'

const agentProgram = join(import.meta.dirname, '../../../../apps/device-agent/src/main.ts')

it.skipIf(!hasOpenSsh)('ssh through a tcp tunnel trusts a device by its certificate, and only by that', async () => {
  await using stack = new AsyncDisposableStack()
  const { path: dir } = stack.use(await tempDir())
  const service = stack.use(await startService({ dataDir: join(dir, 'service') }))
  const account = await service.createAccount()
  const fleet = stack.use(await startFleet())
  const agent = stack.use(
    await startAgent({
      stateDir: join(dir, 'agent'),
      authtoken: (await account.createAuthtoken()).token,
      connectUrl: service.connectUrl(),
      caFile: service.caFile,
    }),
  )
  await agent.untilOnline()
  const { url } = await agent.createTunnel({ protocol: 'tcp', forwards_to: `127.0.0.1:${fleet.sshd.port}` })
  expect(url).toMatch(/^tcp:\/\/tcp\.tunnel\.localhost:\d+$/)

  const authority = (await account.call('POST', '/ssh_certificate_authorities', {})) as Record<
    'id' | 'public_key',
    string
  >
  const trusted = `@cert-authority *.tunnel.example.com ${authority.public_key}\n`
  const ssh = () => login(fleet, new URL(url).port)
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

async function login({ clientDir, sshd }: Fleet, port: string): Promise<{ code: number | null; output: string }> {
  const checks = ['-o', `HostKeyAlias=${deviceName}`, '-o', 'StrictHostKeyChecking=yes']
  const parameters = ['-F', join(clientDir, 'config'), '-p', port, ...checks, `${sshd.user}@127.0.0.1`, 'echo in']
  await using ssh = await startProcess('ssh', parameters)
  const { code } = await ssh.exited
  return { code, output: ssh.output() }
}
