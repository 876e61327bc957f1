import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { runProcess, startProcess, tempDir } from '@tunnel/testkit'
import { describe, expect, it } from 'vitest'
import { curl } from '../src/curl.ts'
import { isThorough } from '../src/thorough.ts'

const repository = join(import.meta.dirname, '../../..')
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const anyPort = '127.0.0.1:0'
const START_LIMIT_MS = 300_000

describe.runIf(isThorough && existsSync(join(repository, '.git')))('npm start on a fresh clone', () => {
  it(
    'prints a URL that curl and a browser open, and leaves no process behind',
    { timeout: START_LIMIT_MS },
    async () => {
      await using dir = await tempDir()
      const clone = join(dir.path, 'clone')
      await runProcess('git', ['clone', '--quiet', '--depth', '1', `file://${repository}`, clone])
      const marker = randomUUID()
      const start = await startProcess('npm', ['start'], { cwd: clone, env: environment(marker), stopLimitMs: 30_000 })
      try {
        const [, url = ''] = await start.waitForOutput(/^Public URL\s+(http:\/\/\S+)$/m, START_LIMIT_MS)
        expect((await curl(url)).body).toContain('It works')
        expect(await openInBrowser(url, dir.path)).toContain('<h1>It works</h1>')
      } finally {
        expect(await start.stop()).toMatchObject({ signal: null })
      }
      expect(processesMarked(marker)).toEqual([])
    },
  )
})

function environment(marker: string): Record<string, string> {
  return {
    TEST_MARKER: marker,
    SERVICE_API_LISTEN: anyPort,
    SERVICE_EDGE_HTTP_LISTEN: anyPort,
    SERVICE_EDGE_HTTPS_LISTEN: anyPort,
    AGENT_API_LISTEN: anyPort,
  }
}

/** The page as the browser shows it; where no browser is installed, as curl does. */
function openInBrowser(url: string, dir: string): Promise<string> {
  const browser = browsers.find(existsSync)
  if (browser === undefined) return runProcess('curl', ['-sS', url])
  const profile = `--user-data-dir=${join(dir, 'profile')}`
  return runProcess(browser, ['--headless', '--no-sandbox', '--disable-gpu', profile, '--dump-dom', url])
}

/** Processes that were started with the marker in their environment, directly or by another of them. */
function processesMarked(marker: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/environ`).includes(marker))
    .map((pid) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '))
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
