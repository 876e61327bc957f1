import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserProgram } from '../../src/browser.ts'
import { DashboardWorld, owner, visit, visitWithin } from '../../src/dashboard/dashboard-world.ts'
import { Keyboard } from '../../src/dashboard/keyboard.ts'
import { openSession } from '../../src/session-client.ts'

const hostKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGYQzbuhIGzMOxIR0SYxVM8W6e3cD0pwLXJsCYVGsXJR host'

/** Nothing here touches the mouse: what people do all day is done with Tab, arrows, Enter, Space and Escape. */
describe.runIf(browserProgram !== undefined)('the dashboard by keyboard alone', () => {
  let world: DashboardWorld
  let page: Page

  beforeAll(async () => {
    world = await DashboardWorld.start()
    page = await world.newPage()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const tabTo = (name: string | RegExp) => new Keyboard(page).tabTo(name)
  const choose = (name: string | RegExp) => new Keyboard(page).choose(name)
  const fill = (name: string, text: string) => new Keyboard(page).fill(name, text)
  const open = (path: string) => visitWithin(page, path)

  it('skips the menu, and shows where the focus is', async () => {
    await visit(page, world.url())
    await page.keyboard.press('Tab')
    if ((await new Keyboard(page).focusedName()) !== 'Skip to content') await tabTo('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
  })

  it('creates an authtoken with access rules, and takes the secret', async () => {
    await open('authtokens')
    await choose('New authtoken')
    await choose('Add a rule')
    await fill('Name', 'pi-7.example.com')
    await fill('Description', 'pi-7')
    await choose('Create authtoken')
    await page.getByText('Copy it now').waitFor()
    await choose('I have copied it')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const [token] = await all(world.api.credentials.all())
    expect(token).toMatchObject({ description: 'pi-7', acl: ['bind:pi-7.example.com'] })
  })

  it('reads a row of a table, edits it, and leaves a dialog with Escape', async () => {
    await visit(page, world.url('authtokens'))
    await choose('pi-7')
    await page.getByRole('heading', { level: 1, name: 'pi-7' }).waitFor()
    await choose('Edit')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.locator('button:focus', { hasText: 'Edit' }).waitFor()
    expect(await new Keyboard(page).focusedName()).toBe('Edit')
  })

  it('builds an edge with a route and a module', async () => {
    await world.api.httpResponseBackends.create({ description: 'maintenance page', body: 'soon' })
    await open('edges')
    await choose('New edge')
    await fill('Description', 'portal')
    await choose('Create edge')
    await page.getByRole('heading', { level: 1, name: 'portal' }).waitFor()
    await choose('New route')
    await page.getByRole('dialog').waitFor()
    await choose('Add route')
    await page.getByRole('article', { name: 'Route /*' }).waitFor()
    await choose('Set Backend of /*')
    await page.getByRole('dialog').waitFor()
    await page.locator('main[aria-busy=false]').waitFor()
    await tabTo(/Backend$/)
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: 'maintenance page' }).waitFor()
    await page.keyboard.press('Enter')
    await choose('Save')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const [edge] = await all(world.api.httpsEdges.all())
    expect(edge?.routes).toMatchObject([{ match: '/', backend: { enabled: true } }])
  })

  it('deletes after the name was typed', async () => {
    const bot = await world.api.botUsers.create({ name: 'old script' })
    await open(`bot-users/${bot.id}`)
    await choose('Delete')
    await fill('Type old script to confirm', 'old script')
    await page.keyboard.press('Enter')
    await page.getByText('No bot users yet').waitFor()
    expect(await all(world.api.botUsers.all())).toEqual([])
  })

  it('commands an agent, and reads why it refuses', async () => {
    const { token } = await world.api.credentials.create({ description: 'commanded' })
    const ca = readFileSync(world.service.caFile)
    const agent = await openSession({ connectUrl: world.service.connectUrl(), authtoken: token, ca })
    await open(`sessions/${agent.welcome.sessionId}`)
    await choose('Update')
    const refusal = page.getByRole('alert')
    await refusal.waitFor()
    expect(await refusal.textContent()).toMatch(/ERR_SERVICE_80\d/)
    agent.webSocket.terminate()
    await agent.ended
  })

  it('is held back from a restart until an update had its time', async () => {
    const { token } = await world.api.credentials.create({ description: 'updated' })
    const ca = readFileSync(world.service.caFile)
    const agent = await openSession({
      connectUrl: world.service.connectUrl(),
      authtoken: token,
      ca,
      isObedient: true,
      hello: { capabilities: { restart: '', stop: '', update: '' } },
    })
    await visit(page, world.url(`sessions/${agent.welcome.sessionId}`))
    await choose('Update')
    const restart = page.getByRole('button', { name: /^Restart/ })
    await page.getByRole('button', { name: /^Restart in \d+ s$/ }).waitFor()
    expect(await restart.isDisabled()).toBe(true)
    await page.getByText('When it is ready, restart the agent').waitFor()
    agent.webSocket.terminate()
    await agent.ended
  })

  it.each([
    ['reserved domain', 'reserved-domains', 'keys.tunnel.localhost'],
    ['agent ingress', 'agent-ingresses', 'agents.example.com'],
  ])('reserves a domain: %s', async (what, path, domain) => {
    await open(path)
    await choose(`New ${what}`)
    await fill('Domain', domain)
    await page.keyboard.press('Enter')
    const title = page.getByRole('heading', { level: 1, name: domain })
    await title.waitFor()
    expect(page.url()).toMatch(new RegExp(`${path}/(rd|agin)_`))
  })

  it('creates an API key, and sees it once', async () => {
    await open('api-keys')
    await choose('New API key')
    await fill('Description', 'nightly job')
    await page.keyboard.press('Enter')
    const key = await page.getByLabel('The new API key', { exact: true }).locator('pre').textContent()
    await choose('I have copied it')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await page.content()).not.toContain(key)
  })

  it('issues a certificate for a host key', async () => {
    await world.api.sshCertificateAuthorities.create({ description: 'only one' })
    await open('ssh-host-certificates')
    await choose('New host certificate')
    await page.locator('.select:not([data-disabled])').waitFor()
    await tabTo(/Authority$/)
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: 'only one' }).waitFor()
    await page.keyboard.press('Enter')
    await fill('Public key', hostKey)
    await fill('Principals', 'pi-8.example.com')
    await choose('Create host certificate')
    await page.getByRole('heading', { name: 'Install it on the host' }).waitFor()
    const [certificate] = await all(world.api.sshHostCertificates.all())
    expect(certificate?.principals).toEqual(['pi-8.example.com'])
  })

  it('checks a policy, and tries a request on it', async () => {
    await open('policy-check')
    await choose('Try the request')
    const verdict = page.getByText(/\d+ from the policy/)
    await verdict.waitFor()
    expect(await verdict.isVisible()).toBe(true)
  })

  it('asks an IP policy about an address, and gives it a rule', async () => {
    const policy = await world.api.ipPolicies.create({ description: 'offices' })
    await open(`ip-policies/${policy.id}`)
    await choose('New rule')
    await fill('Range', '192.0.2.0/24')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await fill('Address', '192.0.2.7')
    expect(await page.locator('output').last().textContent()).toBe('Passes: 192.0.2.0/24 allows it.')
  })

  it('downloads a certificate', async () => {
    const authority = await world.api.sshCertificateAuthorities.create({ description: 'fleet' })
    const certificate = await world.api.sshHostCertificates.create({
      ssh_certificate_authority_id: authority.id,
      public_key: hostKey,
      principals: ['pi-7.example.com'],
    })
    await open(`ssh-host-certificates/${certificate.id}`)
    const download = page.waitForEvent('download')
    await choose(/^Download/)
    expect(readFileSync(await (await download).path(), 'utf8')).toMatch(/^ssh-ed25519-cert-v01@openssh\.com /)
  })

  it('changes the password, and signs in with the new one', async () => {
    const next = 'a better battery staple'
    await open('settings')
    await fill('Current password', owner.password)
    await fill('New password', next)
    await page.keyboard.press('Enter')
    await page.getByText('The password is changed').waitFor()
    await choose('Sign out here')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await fill('E-mail', owner.email)
    await fill('Password', next)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    expect(await page.context().cookies()).toHaveLength(1)
  })

  it('signs out', async () => {
    await visit(page, world.url('settings'))
    await choose('Sign out here')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
  })

  it('signs out everywhere', async () => {
    await fill('E-mail', owner.email)
    await fill('Password', 'a better battery staple')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    const [cookie] = await page.context().cookies()
    await choose('Sign out everywhere')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const reply = await fetch(world.url('session'), { headers: { cookie: `${cookie?.name}=${cookie?.value}` } })
    expect(await reply.json()).toMatchObject({ account: null })
  })
})

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
