import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserProgram } from '../src/browser.ts'
import { DashboardWorld, owner, visit } from '../src/dashboard/dashboard-world.ts'
import { openSession } from '../src/session-client.ts'
import { readFileSync } from 'node:fs'

const script = `<img src=x onerror="window.pwned=1">"'><svg/onload=window.pwned=1>`

/** What an attacker who may write texts, or send links, gets out of the pages: nothing. */
describe.runIf(browserProgram !== undefined)('the dashboard under attack', () => {
  let world: DashboardWorld
  let page: Page

  beforeAll(async () => {
    world = await DashboardWorld.start()
    page = await world.newPage()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const isScriptRun = () => page.evaluate<boolean>('"pwned" in window')

  it('shows stored script as text, in names, descriptions, metadata, labels, header values, bodies and paths', async () => {
    const { api, service } = world
    const texts = { description: script, metadata: script }
    const bot = await api.botUsers.create({ name: script.slice(0, 60) })
    const key = await api.apiKeys.create(texts)
    const group = await api.tunnelGroupBackends.create({
      ...texts,
      labels: { '<script>alert(1)</script>': '<svg onload>' },
    })
    const response = await api.httpResponseBackends.create({ ...texts, headers: { 'x-text': script }, body: script })
    const policy = await api.ipPolicies.create(texts)
    const edge = await api.httpsEdges.create(texts)
    const match = `/${encodeURI(script)}`
    await api
      .routesOf(edge.id)
      .create({ ...texts, match_type: 'path_prefix', match, backend: { backend_id: group.id } })
    const { token } = await api.credentials.create(texts)
    const ca = readFileSync(service.caFile)
    const hello = { metadata: script, agentVersion: '1.0.0', os: 'linux' }
    const { webSocket, welcome } = await openSession({ connectUrl: service.connectUrl(), authtoken: token, ca, hello })
    const paths = [
      ['bot-users', bot.id],
      ['api-keys', key.id],
      ['tunnel-groups', group.id],
      ['http-responses', response.id],
      ['ip-policies', policy.id],
      ['edges', edge.id],
      ['sessions', welcome.sessionId],
    ] as const
    for (const [list, id] of paths) {
      await visit(page, world.url(list))
      await page.getByText('<img src=x').first().waitFor()
      expect(await isScriptRun()).toBe(false)
      await visit(page, world.url(`${list}/${id}`))
      await page.getByText('<img src=x').first().waitFor()
      expect(await isScriptRun()).toBe(false)
    }
    await visit(page, world.url())
    expect(await isScriptRun()).toBe(false)
    webSocket.terminate()
  })

  it('reflects nothing of its address', async () => {
    for (const path of [
      `sessions/${encodeURIComponent(script)}`,
      `?q=${encodeURIComponent(script)}`,
      'nothing/here#<svg>',
    ]) {
      await visit(page, world.url(path))
      expect(await isScriptRun()).toBe(false)
    }
    const reply = await fetch(world.url(encodeURIComponent(script)))
    expect(await reply.text()).not.toContain('onerror')
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
  })

  it('says that what belongs to another account does not exist, by address and by API', async () => {
    const other = await world.service.createAccount('other@example.com')
    const theirs = (await other.call('POST', '/ip_policies', { description: 'theirs' })) as { id: string }
    await page.goto(world.url(`ip-policies/${theirs.id}`))
    await page
      .getByRole('alert')
      .getByText(/not found/i)
      .waitFor()
    expect(await page.content()).not.toContain('theirs')
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
