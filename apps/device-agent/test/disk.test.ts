import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { AgentFixture } from './agent-fixture.ts'

const run = promisify(execFile)
const device = { forwards_to: '8001', domain: 'device.example.com', policy: {} }

/** Only root can mount; elsewhere the faults are injected into the store alone. */
const canMount = process.getuid?.() === 0 && process.platform === 'linux'

it.skipIf(!canMount)(
  'serves what is stored from a disk that cannot be written, says so, and works again afterwards',
  async () => {
    await using agent = await AgentFixture.create()
    await run('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', agent.stateDir])
    try {
      await agent.start()
      expect((await agent.call('POST', '/tunnels', device)).status).toBe(200)
      await agent.stop()
      await run('mount', ['-o', 'remount,ro', agent.stateDir])
      await agent.start()
      expect((await agent.call('GET', '/tunnels')).body).toHaveLength(1)
      expect((await agent.call('POST', '/tunnels', { ...device, domain: 'b.example.com' })).status).toBe(503)
      expect((await agent.call('DELETE', '/tunnels/device')).status).toBe(503)
      expect((await agent.call('GET', '/tunnels')).body).toHaveLength(1)
      expect(agent.logLines.join('')).toContain('the state directory cannot be written')
      await run('mount', ['-o', 'remount,rw', agent.stateDir])
      expect((await agent.call('DELETE', '/tunnels/device')).status).toBe(200)
      await agent.stop()
    } finally {
      await agent.stop()
      await run('umount', ['-l', agent.stateDir])
    }
  },
)

/** Some 20 KB of valid rules. */
const fill = { type: 'add-headers', config: { headers: { 'x-fill': 'x'.repeat(500) } } }
const largePolicy = { inbound: Array.from({ length: 40 }, (_, index) => ({ name: `rule ${index}`, actions: [fill] })) }

it.skipIf(!canMount)('answers 507 while the disk is full, and stores nothing by halves', async () => {
  await using agent = await AgentFixture.create()
  await run('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', agent.stateDir])
  try {
    await agent.start()
    expect((await agent.call('POST', '/tunnels', device)).status).toBe(200)
    await run('dd', ['if=/dev/zero', `of=${join(agent.stateDir, 'filler')}`, 'bs=4k', 'count=100']).catch(
      () => undefined,
    )
    const large = { ...device, domain: 'b.example.com', policy: largePolicy }
    expect((await agent.call('POST', '/tunnels', large)).status).toBe(507)
    await agent.stop()
    await agent.start()
    expect((await agent.call('GET', '/tunnels')).body).toHaveLength(1)
    await rm(join(agent.stateDir, 'filler'))
    expect((await agent.call('POST', '/tunnels', large)).status).toBe(200)
    await agent.stop()
  } finally {
    await agent.stop()
    await run('umount', ['-l', agent.stateDir])
  }
})
