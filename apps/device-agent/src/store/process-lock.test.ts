import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { acquireProcessLock, LockHeldError } from './process-lock.ts'

let directory = ''
let path = ''

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'))
  path = join(directory, 'agent.lock')
})

afterEach(() => rm(directory, { recursive: true }))

const holderScript = `
  import { acquireProcessLock } from '${new URL('./process-lock.ts', import.meta.url).href}'
  await acquireProcessLock(process.argv[1])
  console.log('locked')
  setInterval(() => undefined, 60_000)
`

it('is taken over after kill -9 of its holder, and not before', async () => {
  const holder = spawn(process.execPath, ['--input-type=module', '-e', holderScript, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  await expect(acquireProcessLock(path)).rejects.toThrow(`process ${holder.pid}`)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  await (await acquireProcessLock(path))[Symbol.asyncDispose]()
  expect(await readdir(directory)).toEqual([])
})

it('goes to one of many that ask at once, also over a stale lock', async () => {
  await writeFile(path, '4194304 another-boot 1')
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquireProcessLock(path)))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(results.filter((r) => r.status === 'rejected' && r.reason instanceof LockHeldError)).toHaveLength(7)
})

it.each(['', '\0\0\0', 'nonsense', '1 another-boot 5'])('a lock file with "%s" holds nobody off', async (content) => {
  await writeFile(path, content)
  const lock = await acquireProcessLock(path)
  await expect(acquireProcessLock(path)).rejects.toThrow(`process ${process.pid}`)
  await lock[Symbol.asyncDispose]()
})
