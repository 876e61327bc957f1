import { setTimeout as sleep } from 'node:timers/promises'
import { type TempDir, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDeb } from '../packaging/build-deb.ts'
import { buildFacts } from '../src/build-facts.ts'
import { FakeService, welcome } from './fake-service.ts'
import { selfSigned } from './self-signed.ts'
import { canBootSystemd, SystemdMachine } from './systemd-machine.ts'
import { isThorough } from './thorough.ts'

const unit = 'tunnel-agent.service'
const mainPid = `$(systemctl show --value -p MainPID ${unit})`
const watchdogMs = 2000

/** Half a minute, most of it waits of the unit's. */
const isWanted = isThorough && (await canBootSystemd())

/** In order: each goes on from where the one before has left the machine. */
describe.runIf(isWanted)('the package on a machine with systemd', () => {
  let machine: SystemdMachine
  let service: FakeService
  let packages: TempDir
  let authority: string

  beforeAll(async () => {
    const { key, cert } = await selfSigned('localhost', { from: -1, to: 2 })
    authority = cert
    service = await FakeService.start({ key, cert })
    // Patient, so that a slow moment of this machine does not look like another start of the agent.
    service.script.greet = (hello, turn) => ({
      ...welcome(hello, turn),
      heartbeat: { intervalMs: 5000, toleranceMs: 10_000 },
    })
    packages = await tempDir()
    const path = await buildDeb(packages.path, buildFacts)
    machine = await SystemdMachine.boot(process.execPath, path)
  })
  afterAll(async () => {
    await machine[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
    await packages[Symbol.asyncDispose]()
  })

  const show = (property: string): Promise<string> => machine.run(`systemctl show --value -p ${property} ${unit}`)
  const isActive = (): Promise<string> => machine.until(`systemctl is-active ${unit}`, /^active/)

  it('installs without an authtoken, and then does not start', async () => {
    await machine.run('dpkg --force-depends --install /mnt/agent.deb')
    expect(await machine.run(`systemctl is-enabled ${unit}`)).toBe('enabled\n')
    expect(await show('ConditionResult')).toBe('no\n')
  })

  it('starts with a token and an authority of the service, tells when it is ready, and runs as a user of its own with a closed state directory', async () => {
    await machine.run(`
      printf cr_x_y | install -m 600 /dev/stdin /etc/tunnel-agent/authtoken
      printf %s '${authority}' > /etc/tunnel-agent/ca.pem
      echo SERVICE_CONNECT_URL=wss://localhost:${service.port} > /etc/default/tunnel-agent
      echo SERVICE_CONNECT_CA_FILE=/etc/tunnel-agent/ca.pem >> /etc/default/tunnel-agent
      echo AGENT_API_LISTEN=127.0.0.1:0 >> /etc/default/tunnel-agent
      systemctl start ${unit}`)
    await service.untilSessions(1)
    expect(service.latest.hello.authtoken).toBe('cr_x_y')
    expect(await show('Type')).toBe('notify\n')
    expect(await show('ActiveState')).toBe('active\n')
    expect(await machine.run(`ps --no-headers -o user:20 -p ${mainPid}`)).toBe('tunnel-agent\n')
    expect(await machine.run('stat -c %a /var/lib/private/tunnel-agent/')).toBe('700\n')
  })

  it('a restart by command ends with 75 and brings it back; kill -9 as well', async () => {
    expect((await service.command('restart')).error).toBeNull()
    await service.untilSessions(2)
    expect(await machine.run(`journalctl --no-pager -u ${unit}`)).toContain('status=75')
    await machine.run(`kill -KILL ${mainPid}`)
    await service.untilSessions(3)
    await isActive()
    expect(await show('NRestarts')).toBe('2\n')
    expect(service.latest.hello.installId).toBe(service.sessions[0]?.hello.installId)
  })

  it('one that stands still is replaced; one that works is left alone', async () => {
    await machine.run(`
      mkdir -p /run/systemd/system/${unit}.d
      printf '[Service]\\nWatchdogSec=${watchdogMs}ms\\n' > /run/systemd/system/${unit}.d/watchdog.conf
      systemctl daemon-reload
      systemctl restart ${unit}`)
    await service.untilSessions(4)
    const startedAt = await show('ExecMainStartTimestampMonotonic')
    // Nothing happens that could be waited for: that is the point.
    await sleep(2 * watchdogMs)
    expect(await show('ExecMainStartTimestampMonotonic')).toBe(startedAt)
    await machine.run(`kill -STOP ${mainPid}`)
    await service.untilSessions(5)
    expect(await machine.run(`journalctl --no-pager -u ${unit}`)).toContain('Watchdog timeout')
  })

  it('a stop by command stays', async () => {
    await isActive()
    expect((await service.command('stop')).error).toBeNull()
    await machine.until(`systemctl is-active ${unit}`, /^inactive/)
    expect(await show('ExecMainStatus')).toBe('0\n')
    expect(await show('Result')).toBe('success\n')
  })

  it('is removed with its state kept, and purged without a trace', async () => {
    const left =
      'find /etc /var /usr/lib/tunnel-agent /usr/bin/tunnel-agent -name "*tunnel-agent*" -not -path "/var/lib/dpkg/*" 2>/dev/null || true'
    await machine.run(`systemctl start ${unit}; dpkg --remove tunnel-agent`)
    expect(await machine.run(`systemctl is-active ${unit} || true`)).toBe('inactive\n')
    expect(await machine.run(left)).toContain('/var/lib/private/tunnel-agent')
    await machine.run('dpkg --purge tunnel-agent')
    expect(await machine.run(left)).toBe('')
  })
})
