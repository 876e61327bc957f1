import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromSource, type RunningProcess, startAgent, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { FakeService } from './fake-service.ts'

/** The service asks for a heartbeat every 100 ms, so that this is as many as in half an hour. */
const heartbeat = { intervalMs: 100, toleranceMs: 5000 }
const idleMs = process.env['TEST_LONG'] ? 60_000 : 3000

it.runIf(process.platform === 'linux')(
  'an idle agent writes nothing to its disk, whatever goes over the link',
  { timeout: idleMs + 30_000 },
  async () => {
    await using state = await tempDir()
    await using service = await FakeService.start()
    const greet = service.script.greet
    service.script.greet = (hello, turn) => {
      const message = greet(hello, turn)
      return message?.type === 'welcome' ? { ...message, heartbeat } : message
    }
    await using agent = await startAgent({
      stateDir: state.path,
      authtoken: 'cr_x_y',
      connectUrl: service.url,
      caFile: '',
      program: fromSource('apps/device-agent/src/main.ts'),
    })
    await agent.createTunnel({ forwards_to: '8001', domain: 'device.example.com', policy: {} })
    await service.untilBinds(1)
    await settled(agent.process)
    const before = await disk(agent.process, state.path)
    // Nothing is to happen in this time.
    await sleep(idleMs)
    expect(await disk(agent.process, state.path)).toEqual(before)
    await agent.createTunnel({ forwards_to: '8001', domain: 'other.example.com', policy: {} })
    expect(await disk(agent.process, state.path)).not.toEqual(before)
  },
)

/** What the kernel counts, and every file with its time of change. Reading /status and logs are no part of it. */
async function disk({ pid }: RunningProcess, directory: string): Promise<object> {
  const names = (await readdir(directory)).toSorted()
  const files = await Promise.all(names.map(async (name) => [name, (await stat(join(directory, name))).ctimeMs]))
  return { files, writes: await writtenBytes(pid) }
}

async function writtenBytes(pid: number): Promise<string> {
  return /^write_bytes: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, 'utf8'))?.[1] ?? ''
}

/** Settles when what the start had to write is written. */
async function settled({ pid }: RunningProcess): Promise<void> {
  let before = ''
  for (let now = await writtenBytes(pid); now !== before; now = await writtenBytes(pid)) {
    before = now
    await sleep(500)
  }
}
