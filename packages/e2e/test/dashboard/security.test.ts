import { readFileSync } from 'node:fs'
import type { Account } from '@tunnel/testkit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserProgram } from '../../src/browser.ts'
import { menuPages } from '../../src/dashboard/dashboard-pages.ts'
import { DashboardWorld, owner, visit, visitWithin } from '../../src/dashboard/dashboard-world.ts'
import { plantScripts, script, shortScript } from '../../src/dashboard/planted-script.ts'
import { openSession } from '../../src/session-client.ts'

/** Ids, addresses, times, keys and policies: the API takes nothing else there. Every other text is planted. */
const textsThatHoldNoScript = [
  '.address',
  '.backend.backend_id',
  '.backends[]',
  '.backends{}',
  '.ca_pem',
  '.certificate_id',
  '.certificate_pem',
  '.cidr',
  '.domain',
  '.headers{}',
  '.hostports[]',
  '.ip_policy_id',
  '.ip_restriction.ip_policy_ids[]',
  '.mutual_tls.certificate_authority_ids[]',
  '.owner_id',
  '.policy.inbound[]{}',
  '.policy.outbound[]{}',
  '.principals[]',
  '.private_key_pem',
  '.public_key',
  '.region',
  '.request_headers.add{}',
  '.request_headers.remove[]',
  '.response_headers.add{}',
  '.response_headers.remove[]',
  '.ssh_certificate_authority_id',
  '.traffic_policy.value',
  '.valid_after',
  '.valid_until',
  '.webhook_verification.provider',
]

/** What an attacker who may write texts, or send links, gets out of the pages: nothing. */
describe.runIf(browserProgram !== undefined)('the dashboard under attack', () => {
  let world: DashboardWorld
  let page: Page
  let other: Promise<Account>

  beforeAll(async () => {
    world = await DashboardWorld.start()
    other = world.service.createAccount('other@example.com')
    page = await world.newPage()
    await page.addInitScript(`
      window.blocked = []
      addEventListener('securitypolicyviolation', ({ sourceFile, violatedDirective }) => window.blocked.push(violatedDirective + ' ' + sourceFile))
    `)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const isScriptRun = () => page.evaluate<boolean>('"pwned" in window')

  /** What the page holds that only a script could have made, or would run one. */
  const foulPlay = () =>
    page.evaluate<string[]>(`[
      ...('pwned' in window ? ['a script ran'] : []),
      ...window.blocked,
      ...[...document.querySelectorAll('body :is(img, svg, iframe, object, embed, base, script), [onerror], [onload]')]
        .filter((element) => !element.matches('script[type=module]'))
        .map((element) => element.outerHTML),
      ...[...document.querySelectorAll('[href], [src], [action]')]
        .filter((element) => /^\\s*javascript:/i.test(element.getAttribute('href') ?? element.getAttribute('src') ?? ''))
        .map((element) => element.outerHTML),
    ]`)

  it('shows stored script as text, in every text that the API takes, on every page, in forms and in questions', async () => {
    const planted = await plantScripts(world)
    expect([...new Set(planted.flatMap(({ refused }) => refused))].sort()).toEqual(textsThatHoldNoScript)
    await visit(page, world.url('no-such-page'))
    for (const list of menuPages) {
      await visitWithin(page, list)
      expect(await foulPlay()).toEqual([])
    }
    const withPage = planted.filter((one) => !/^(ipr|edghtsrt)_/.test(one.id))
    for (const { page: list, id } of withPage) {
      await visitWithin(page, `${list}/${id}`)
      await page.getByText('<img src=x').filter({ visible: true }).first().waitFor()
      for (const dialog of ['Edit', 'Delete']) {
        await page.getByRole('button', { name: dialog, exact: true }).click()
        await page.getByRole('dialog').waitFor()
        expect(await foulPlay()).toEqual([])
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
      }
    }
  })

  it('shows script from an agent as text: what it says of itself, its tunnels, and why it refuses', async () => {
    const { token } = await world.api.credentials.create({ description: 'of the agent' })
    const ca = readFileSync(world.service.caFile)
    const names = { agentVersion: shortScript, os: shortScript, arch: shortScript, hostname: script }
    const capabilities = { restart: script, stop: script, update: script }
    const hello = { ...names, capabilities, metadata: script, labels: { [shortScript]: script } }
    const agent = await openSession({ connectUrl: world.service.connectUrl(), authtoken: token, ca, hello })
    await agent.bind({ domain: `agent.${world.service.zone}`, metadata: script, forwardsTo: script })
    await agent.bind({ labels: { [shortScript]: script }, forwardsTo: script })
    await visit(page, world.url())
    for (const path of ['sessions', 'tunnels', `sessions/${agent.welcome.sessionId}`]) {
      await visitWithin(page, path)
      await page.getByText('<img src=x').filter({ visible: true }).first().waitFor()
      expect(await foulPlay()).toEqual([])
    }
    await page.getByRole('button', { name: 'Update' }).click()
    await page.getByRole('alert').getByText('<img src=x').waitFor()
    expect(await foulPlay()).toEqual([])
    agent.webSocket.terminate()
    await agent.ended
  })

  it('reflects nothing of its address, and nothing that is typed', async () => {
    const encoded = encodeURIComponent(script)
    await visit(page, world.url())
    for (const list of menuPages) {
      await visitWithin(page, `${list}/${encoded}?q=${encoded}&before_id=${encoded}#${encoded}`)
      expect(await foulPlay()).toEqual([])
    }
    await visitWithin(page, 'reserved-domains')
    await page.getByRole('button', { name: 'New reserved domain' }).click()
    await page.getByRole('textbox', { name: 'Domain' }).fill(script)
    await page.getByRole('button', { name: 'Create reserved domain' }).click()
    await page.getByRole('alert').waitFor()
    expect(await foulPlay()).toEqual([])
    for (const path of [`${encoded}?q=${encoded}`, `sessions/${encoded}#${encoded}`])
      expect(await (await fetch(world.url(path))).text()).not.toContain('onerror')
  })

  it('cannot be put into a frame, and runs no script that it did not bring', async () => {
    const { headers } = await fetch(world.url())
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    await visit(page, world.url())
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.pwned = 1' }))`,
    )
    expect(await isScriptRun()).toBe(false)
    expect(await foulPlay()).toHaveLength(2)
  })

  it('says that what belongs to another account does not exist, by address and by API', async () => {
    const theirs = (await (await other).call('POST', '/ip_policies', { description: 'theirs' })) as { id: string }
    await page.goto(world.url(`ip-policies/${theirs.id}`))
    await page
      .getByRole('alert')
      .getByText(/not found/i)
      .waitFor()
    expect(await page.content()).not.toContain('theirs')
    await page.getByRole('link', { name: 'All IP policies' }).waitFor()
    await expect(world.api.ipPolicies.update(theirs.id, { description: 'mine' })).rejects.toMatchObject({ status: 404 })
    await expect(world.api.ipPolicies.delete(theirs.id)).rejects.toMatchObject({ status: 404 })
  })

  it('does not do what another site asks for (cross-site request forgery)', async () => {
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' })
    const attempt = (headers: Record<string, string>) =>
      fetch(`${world.service.apiUrl}/bot_users`, {
        method: 'POST',
        headers: { cookie: `${cookie?.name}=${cookie?.value}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ name: 'forged' }),
      })
    const foreign = await attempt({
      'service-version': '2',
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    })
    const sibling = await attempt({ 'service-version': '2', 'sec-fetch-site': 'same-site' })
    const simpleForm = await attempt({ 'sec-fetch-site': 'same-origin' })
    expect([foreign.status, sibling.status, simpleForm.status]).toEqual([403, 403, 400])
    const names: string[] = []
    for await (const bot of world.api.botUsers.all()) names.push(bot.name)
    expect(names).not.toContain('forged')
  })

  it('shows a page of another origin nothing of who is signed in, though the API may be called from anywhere', async () => {
    const [cookie] = await page.context().cookies()
    const asked = (path: string, headers: Record<string, string>) =>
      fetch(`${world.service.apiUrl}${path}`, {
        headers: { cookie: `${cookie?.name}=${cookie?.value}`, 'service-version': '2', ...headers },
      })
    const strangers: readonly Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const stranger of strangers) {
      expect((await asked('/bot_users', stranger)).status).toBe(403)
      expect(await (await asked('/dashboard/session', stranger)).json()).toMatchObject({ account: null })
    }
    expect((await asked('/bot_users', { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  it('locks a name out after ten wrong passwords, and says so on the page (throttling)', async () => {
    const wrong = { email: 'victim@example.com', password: 'a wrong password' }
    const attempt = () =>
      fetch(world.url('session'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(wrong),
      })
    await Promise.all(Array.from({ length: 10 }, attempt))
    const stranger = await world.newPage()
    await stranger.context().clearCookies()
    await stranger.goto(world.url())
    await stranger.getByLabel('E-mail').fill(wrong.email)
    await stranger.getByLabel('Password').fill(wrong.password)
    await stranger.getByRole('button', { name: 'Sign in' }).click()
    const refusal = stranger.getByRole('alert')
    await refusal.waitFor()
    expect(await refusal.textContent()).toMatch(/too many/i)
    await stranger.context().close()
  })

  it('takes a token of nobody for nobody, and gives a new one at every sign-in (session fixation)', async () => {
    const planted = 'A'.repeat(43)
    const reply = await fetch(`${world.service.apiUrl}/dashboard/session`, {
      method: 'POST',
      headers: { cookie: `sign-in=${planted}`, 'content-type': 'application/json' },
      body: JSON.stringify(owner),
    })
    expect(reply.headers.get('set-cookie')).toMatch(/^sign-in=(?!A{43})/)
    const asPlanted = await fetch(`${world.service.apiUrl}/bot_users`, {
      headers: { cookie: `sign-in=${planted}`, 'service-version': '2' },
    })
    expect(asPlanted.status).toBe(403)
  })
})
