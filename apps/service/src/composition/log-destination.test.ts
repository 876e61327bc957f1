import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const module = JSON.stringify(join(import.meta.dirname, 'log-destination.ts'))

/** Runs a program that writes `count` lines of 100 characters to its standard error, and returns what a reader gets that begins late. */
async function linesOf(count: number, isReaderLate: boolean): Promise<string[]> {
  const program = `
    import { logDestination } from ${module}
    const log = logDestination(2)
    for (let i = 0; i < ${count}; i++) log.write(JSON.stringify({ i }).padEnd(99) + '\\n')
    console.log(Math.round(process.memoryUsage().rss / 1e6))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] })
  await once(child.stdout, 'data')
  if (isReaderLate) await once(child, 'exit')
  const text = (await child.stderr.setEncoding('utf8').toArray()).join('')
  return text.split('\n').slice(0, -1)
}

it('writes every line in order, also those of the last moment', async () => {
  const lines = await linesOf(10_000, false)
  expect(lines.map((line) => (JSON.parse(line) as { i: number }).i)).toEqual(
    Array.from({ length: 10_000 }, (_, i) => i),
  )
})

it('loses lines and not the program when nobody reads', async () => {
  const lines = await linesOf(200_000, true)
  expect(lines.length).toBeLessThan(50_000)
  expect(lines.length).toBeGreaterThan(500)
})
