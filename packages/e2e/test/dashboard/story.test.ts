import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { type RunningService, startAgent, startService, tempDir } from '@tunnel/testkit'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserProgram, startBrowser } from '../../src/browser.ts'
import { Keyboard } from '../../src/dashboard/keyboard.ts'
import { curl } from '../../src/curl.ts'

const email = 'owner@example.com'
const password = 'correct horse battery'

/** One story, told in order: each step goes on where the one before it ended. */
describe.runIf(browserProgram !== undefined)('the dashboard', () => {
  let dir: Awaited<ReturnType<typeof tempDir>>
  let service: RunningService
  let browser: Browser
  let page: Page
  const complaints: string[] = []

  beforeAll(async () => {
    dir = await tempDir()
    service = await startService({ dataDir: join(dir.path, 'service') })
    browser = await startBrowser()
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
  })

  afterAll(async () => {
    await browser.close()
    await service[Symbol.asyncDispose]()
    await dir[Symbol.asyncDispose]()
  })

  const open = async (name: string) => {
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  /** Creates something with a secret and returns the secret. */
  const createWithSecret = async (what: string, label: string, fillFurther = async () => {}): Promise<string> => {
    await press(`New ${what}`)
    await page.getByLabel('Description').fill(label)
    await fillFurther()
    await press(`Create ${what}`)
    await page.getByText('Copy it now').waitFor()
    // What is seen once cannot be closed by accident.
    await page.keyboard.press('Escape')
    const secret = await page.getByLabel(`The new ${what}`, { exact: true }).locator('pre').textContent()
    await press('I have copied it')
    return secret ?? ''
  }

  it('creates the first account by keyboard, and signs in', async () => {
    await page.goto(`${service.apiUrl}/dashboard/`)
    await page.getByRole('heading', { name: 'Create the first account' }).waitFor()
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
    const keyboard = new Keyboard(page)
    await keyboard.fill('E-mail', email)
    await keyboard.fill('Password', password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await page.context().cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
  })

  it('shows an API key once and never again', async () => {
    await open('API keys')
    const key = await createWithSecret('API key', 'nightly job')
    const keys = await fetch(`${service.apiUrl}/api_keys`, {
      headers: { authorization: `Bearer ${key}`, 'service-version': '2' },
    })
    expect(keys.status).toBe(200)
    expect(await keys.text()).not.toContain(key)
    await page.reload()
    await page.getByText('nightly job').waitFor()
    expect(await page.content()).not.toContain(key)
    await page.getByText('nightly job').click()
    await page.getByText('account holder').waitFor()
    expect(await page.content()).not.toContain(key)
    const store = readdirSync(join(dir.path, 'service')).filter((file) => file.startsWith('service.sqlite'))
    for (const file of store) expect(readFileSync(join(dir.path, 'service', file), 'latin1')).not.toContain(key)
  })

  it('shows an agent as soon as it is online, without a reload, and commands it', async () => {
    await open('Authtokens')
    const allowed = `pi-7.${service.zone}`
    const authtoken = await createWithSecret('authtoken', 'pi-7', async () => {
      await press('Add a rule')
      await page.getByLabel('Name', { exact: true }).fill(allowed)
    })
    await page.getByText(allowed, { exact: true }).waitFor()
    await open('Sessions')
    await page.getByText('No agent is online').waitFor()
    const agentOptions = { authtoken, connectUrl: service.connectUrl(), caFile: service.caFile }
    await using agent = await startAgent({
      ...agentOptions,
      stateDir: join(dir.path, 'agent'),
      env: { AGENT_METADATA: 'site a, rack 7', AGENT_UPDATE_CHECK: 'false' },
    })
    await agent.untilOnline()
    await page.getByText('site a, rack 7').click()
    const forbidden = agent.createTunnel({ forwards_to: 'localhost:1', domain: `other.${service.zone}` })
    await expect(forbidden).rejects.toThrow(/ERR_SERVICE_\d+|not allowed/)
    await agent.createTunnel({ forwards_to: 'localhost:1', domain: allowed })
    await page.getByRole('link', { name: allowed }).waitFor()
    await press('Update')
    await page
      .getByRole('alert')
      .getByText(/ERR_SERVICE_80\d/)
      .waitFor()
    await press('Stop')
    await press('Stop the agent')
    expect(await agent.process.exited).toMatchObject({ code: 0 })
    const history = page.getByRole('listitem')
    await history.filter({ hasText: 'The session ended' }).waitFor()
    await history.filter({ hasText: `The tunnel of https://${allowed} stopped.` }).waitFor()
    await history.filter({ hasText: 'The agent came online.' }).waitFor()
  })

  it('routes the paths of an edge to a backend', async () => {
    const host = `portal.${service.zone}`
    await open('Reserved domains')
    await press('New reserved domain')
    await page.getByRole('textbox', { name: 'Domain' }).fill(host)
    await press('Create reserved domain')
    await page.getByRole('heading', { level: 1, name: host }).waitFor()
    await open('HTTP responses')
    await press('New HTTP response')
    await page.getByLabel('Body').fill('back in ten minutes')
    await page.getByLabel('Description').fill('maintenance page')
    await press('Create HTTP response')
    await page.getByRole('heading', { level: 1, name: 'maintenance page' }).waitFor()
    await open('HTTPS edges')
    await press('New edge')
    await page.getByLabel('Names and ports').fill(`${host}:443`)
    await press('Create edge')
    await press('New route')
    await press('Add route')
    await press('Set Backend of /*')
    await page.getByRole('dialog').getByLabel('Backend').click()
    await page.getByRole('option', { name: 'maintenance page' }).click()
    await press('Save')
    await page.getByRole('article', { name: 'Route /*' }).getByText('maintenance page').waitFor()
    const { edgeHttps } = service.ports
    const trusting = ['--cacert', service.caFile, '--resolve', `${host}:${edgeHttps}:127.0.0.1`]
    expect(await curl(`https://${host}:${edgeHttps}/orders`, ...trusting)).toMatchObject({
      body: 'back in ten minutes',
    })
  })

  it('certifies a host key and offers the certificate for download', async () => {
    const hostKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGYQzbuhIGzMOxIR0SYxVM8W6e3cD0pwLXJsCYVGsXJR host'
    await open('Authorities')
    await press('New SSH authority')
    await page.getByLabel('Description').fill('fleet')
    await press('Create SSH authority')
    await page.getByText('@cert-authority').waitFor()
    await open('Host certificates')
    await press('New host certificate')
    await page.getByLabel('Authority').click()
    await page.getByRole('option', { name: 'fleet' }).click()
    await page.getByLabel('Public key').fill(hostKey)
    await page.getByLabel('Description').fill('pi-7')
    await press('Create host certificate')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: /^Download/ }).click()
    expect(readFileSync(await (await download).path(), 'utf8')).toMatch(/^ssh-ed25519-cert-v01@openssh\.com /)
  })

  it('deletes only after the name was typed, and shows what the API says when it refuses', async () => {
    await open('Authorities')
    await page.getByText('fleet').click()
    await press('Delete')
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Type fleet to confirm').fill('fleet')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('ERR_SERVICE_1964').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })

  it('signs out, and asks for the password again', async () => {
    await page.goto(`${service.apiUrl}/dashboard/settings`)
    await press('Sign out here')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(`${service.apiUrl}/dashboard/authtokens`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
  })

  it('made the browser complain about nothing but refusals of the API', () => {
    expect(complaints.filter((text) => !/status of 40[04]/.test(text))).toEqual([])
  })
})
