import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProcess, tempDir } from '@tunnel/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserProgram } from '../../src/browser.ts'
import { menuPages } from '../../src/dashboard/dashboard-pages.ts'
import { DashboardWorld, visit, visitWithin } from '../../src/dashboard/dashboard-world.ts'
import { throwAwayCertificate } from '../../src/throw-away-certificate.ts'

/** A list for each kind of thing; an account that is new has nothing in any. */
const lists = menuPages.filter((path) => !['policy-check', 'settings'].includes(path))

describe.runIf(browserProgram !== undefined)('a dashboard with nothing in it', () => {
  let world: DashboardWorld
  let page: Page

  beforeAll(async () => {
    world = await DashboardWorld.start()
    page = await world.newPage()
    await visit(page, world.url('settings'))
  })
  afterAll(() => world[Symbol.asyncDispose]())

  /** The command that the page offers, once it says what to do. */
  const offered = async (path: string): Promise<string> => {
    await visitWithin(page, path)
    const empty = page.locator('.empty')
    await empty.getByRole('heading', { level: 2 }).waitFor()
    expect(await empty.locator('p').first().textContent()).toMatch(/\w{3}.*[.:]$/)
    await empty.getByRole('button', { name: 'Copy' }).waitFor()
    return (await empty.locator('pre').textContent()) ?? ''
  }

  it('says on every page what to do next, with a command that does it when it is pasted', async () => {
    await using dir = await tempDir()
    const { certificate, key } = await throwAwayCertificate('app.example.com', true)
    for (const [file, text] of Object.entries({
      'fullchain.pem': certificate,
      'privkey.pem': key,
      'ca.pem': certificate,
    }))
      await writeFile(join(dir.path, file), text)
    const { token } = await world.api.apiKeys.create({ description: 'of a shell' })
    const paste = async (command: string) => {
      const options = { cwd: dir.path, env: { API_KEY: token } }
      return JSON.parse(await runProcess('sh', ['-c', `{ ${command}; } 2>/dev/null`], options)) as {
        id?: string
        error_code?: string
      }
    }
    const made = new Map<string, string>()
    for (const path of lists.filter((list) => list !== 'api-keys')) {
      if (path === 'tls-edges') await world.api.reservedDomains.create({ domain: `tls.${world.service.zone}` })
      const command = await offered(path)
      expect(command).toMatch(/^(curl|node -p|SERVICE_\w+=|npm run)/)
      // A command with gaps needs what other pages make; one without makes the first thing of its list.
      if (command.includes('…') || command.includes('127.0.0.1:4301')) continue
      const reply = await paste(command)
      expect(`${path}: ${reply.error_code}`).toBe(`${path}: undefined`)
      made.set(path, reply.id ?? '')
      await page.locator('.empty').waitFor({ state: 'hidden' })
    }
    expect(made.size).toBeGreaterThan(12)
    for (const path of ['edges', 'ip-policies']) {
      const reply = await paste(await offered(`${path}/${made.get(path)}`))
      expect(`${path}: ${reply.error_code}`).toBe(`${path}: undefined`)
      await page.locator('.empty').waitFor({ state: 'hidden' })
    }
    expect(await offered(`tunnel-groups/${made.get('tunnel-groups')}`)).toContain('"labels":{"app":"portal"}')
  })
})
