import { existsSync, globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startAgent, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curl } from '../../src/curl.ts'
import { eventually } from '../../src/eventually.ts'
import { Stack } from '../../src/stack.ts'
import { isThorough } from '../../src/thorough.ts'

const [faketime = ''] = globSync('/usr/lib/*/faketime/libfaketime.so.1')

describe.runIf(isThorough && existsSync(faketime))('an agent whose clock stands in 1970', () => {
  let stack: Stack

  beforeAll(async () => {
    stack = await Stack.start()
  })
  afterAll(() => stack[Symbol.asyncDispose]())

  it('never skips certificate checks, says that the clock is wrong, and connects soon after it is set', async () => {
    await using dir = await tempDir()
    const clockFile = join(dir.path, 'clock')
    await writeFile(clockFile, '@1970-01-01 00:00:10')
    const setup = { ...stack.agentSetup, stateDir: join(dir.path, 'agent'), env: fakeClock(clockFile) }
    await using agent = await startAgent(setup)
    const domain = `clock.${stack.service.zone}`
    await agent.createTunnel({ forwards_to: `127.0.0.1:${stack.upstream.port}`, domain })

    await eventually(async () => expect((await curl(`${agent.apiUrl}/status`)).body).toMatch(/clock/i))
    expect((await curl(`${agent.apiUrl}/readyz`)).status).toBe(503)
    await writeFile(clockFile, '+0')
    await eventually(async () => expect((await curl(stack.httpUrl(domain))).status).toBe(200), 10_000)
  })
})

/** Shifts the wall clock only: a device without a battery still has a steady monotonic clock. */
function fakeClock(clockFile: string): Record<string, string> {
  return {
    LD_PRELOAD: faketime,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
}
