import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { processTree, processUsage } from './process-usage.ts'
import { runProcess, startProcess } from './running-process.ts'
import { tempDir } from './temp-dir.ts'

const node = process.execPath

it('finds output that was printed before and after it is asked for', async () => {
  await using running = await startProcess(node, [
    '-e',
    'console.log("port 1"); setInterval(() => console.log("port 2"), 20)',
  ])
  await running.waitForOutput(/port 2/)
  const [, port] = await running.waitForOutput(/port (1)/)
  expect(port).toBe('1')
})

it('fails with the output when the program ends first', async () => {
  await using running = await startProcess(node, ['-e', 'console.error("no such file"); process.exit(3)'])
  await expect(running.waitForOutput(/ready/)).rejects.toThrow(/ended with 3[\s\S]*no such file/)
})

it('kills a program that ignores SIGTERM', async () => {
  const ignore = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")'
  const running = await startProcess(node, ['-e', ignore], { stopLimitMs: 100 })
  await running.waitForOutput(/up/)
  expect(await running.stop()).toEqual({ code: null, signal: 'SIGKILL' })
})

it('leaves standard error to a file when it is told to', async () => {
  await using dir = await tempDir()
  const stderrFile = join(dir.path, 'log')
  const printed = await runProcess(node, ['-e', 'console.log("out"); console.error("log line")'], { stderrFile })
  expect(printed).toBe('out\n')
  expect(await readFile(stderrFile, 'utf8')).toBe('log line\n')
})

it('passes on only the variables it is given', async () => {
  process.env['SERVICE_SOMETHING'] = 'set'
  const printed = await runProcess(node, ['-p', 'Object.keys(process.env).join(" ")'], { env: { EXTRA: '1' } })
  delete process.env['SERVICE_SOMETHING']
  expect(printed).toContain('EXTRA')
  expect(printed).not.toContain('SERVICE_SOMETHING')
})

it('counts memory and processor time of a whole process tree', async () => {
  const burn = 'while (process.cpuUsage().user < 150_000); console.log("burnt"); setInterval(() => {}, 1000)'
  await using shell = await startProcess('sh', ['-c', `"${node}" -e '${burn}' & wait`])
  await shell.waitForOutput(/burnt/)
  const pids = processTree([shell.pid])
  const usage = processUsage(pids)
  expect(pids).toHaveLength(2)
  expect(usage.cpuSeconds).toBeGreaterThan(0.1)
  expect(usage.rssBytes).toBeGreaterThan(usage.pssBytes)
  for (const pid of pids) process.kill(pid)
})
