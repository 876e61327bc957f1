import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { renderError } from '../api/error-renderer.ts'
import { Accounts } from '../resources/accounts/accounts.ts'
import { type Storage, openStorage } from '../storage/open-storage.ts'
import { createDashboard } from './dashboard.ts'

const email = 'owner@example.com'
const password = 'correct horse battery'

let dir: string
let storage: Storage
let app: FastifyInstance
let setupToken: string
let now: number

beforeEach(async () => {
  now = Date.UTC(2030, 0, 1)
  dir = mkdtempSync(join(tmpdir(), 'dashboard-'))
  mkdirSync(join(dir, 'pages', 'assets'), { recursive: true })
  writeFileSync(join(dir, 'pages', 'index.html'), '<!doctype html>the page')
  writeFileSync(join(dir, 'pages', 'assets', 'index-abc.js'), 'script')
  storage = await openStorage({ dataDir: dir, databaseUrl: null, masterKeyFile: join(dir, 'master.key') })
  const accounts = new Accounts(storage.db)
  const checkAddress = () => Promise.resolve()
  const assetsDir = join(dir, 'pages')
  const connectUrl = 'wss://connect.example.com'
  const dashboard = createDashboard({ db: storage.db, accounts, assetsDir, now: () => now, connectUrl, checkAddress })
  setupToken = dashboard.setupToken
  app = Fastify()
  app.setErrorHandler(renderError)
  await dashboard.routes(app)
})

afterEach(async () => {
  await app.close()
  await storage[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

interface Options {
  readonly cookie?: string
  readonly headers?: Record<string, string>
  readonly from?: string
}

function send(method: 'GET' | 'POST' | 'DELETE', url: string, body?: object, { cookie, headers, from }: Options = {}) {
  return app.inject({
    method,
    url,
    ...(body === undefined ? {} : { payload: body }),
    headers: { ...(cookie === undefined ? {} : { cookie: `sign-in=${cookie}` }), ...headers },
    ...(from === undefined ? {} : { remoteAddress: from }),
  })
}

function cookieOf(reply: Awaited<ReturnType<typeof send>>): string {
  return reply.cookies.find(({ name }) => name === 'sign-in')?.value ?? ''
}

async function createOwner(): Promise<string> {
  return cookieOf(await send('POST', '/dashboard/first_account', { email, password, setup_token: '' }))
}

const signIn = (secret: string, options?: Options) =>
  send('POST', '/dashboard/session', { email, password: secret }, options)
const whoAmI = async (cookie: string, options?: Options) =>
  (await send('GET', '/dashboard/session', undefined, { ...options, cookie })).json<{
    account: { email: string } | null
  }>()

describe('the first account', () => {
  it('can be created once, from the machine itself', async () => {
    expect((await send('GET', '/dashboard/session')).json()).toEqual({ account: null, first_account_needed: true })
    const cookie = await createOwner()
    expect((await whoAmI(cookie)).account?.email).toBe(email)
    const second = await send('POST', '/dashboard/first_account', { email: 'b@example.com', password, setup_token: '' })
    expect(second.statusCode).toBe(400)
  })

  it('needs the set-up token from anywhere else', async () => {
    const far = { from: '192.0.2.7' }
    const body = { email, password, setup_token: 'guess' }
    expect((await send('POST', '/dashboard/first_account', body, far)).statusCode).toBe(403)
    const right = await send('POST', '/dashboard/first_account', { ...body, setup_token: setupToken }, far)
    expect(right.statusCode).toBe(200)
  })
})

describe('signing in', () => {
  it('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    await createOwner()
    const [cookie] = (await signIn(password)).cookies
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' })
  })

  it('is refused alike for a wrong password and an unknown address', async () => {
    await createOwner()
    const wrong = await signIn('not the password')
    const unknown = await send('POST', '/dashboard/session', { email: 'x@example.com', password })
    expect([wrong.statusCode, unknown.statusCode]).toEqual([403, 403])
    expect(wrong.json<{ msg: string }>().msg).toBe(unknown.json<{ msg: string }>().msg)
  })

  it('is throttled after ten failures, also with the right password, and freed after the window', async () => {
    await createOwner()
    for (let attempt = 0; attempt < 10; attempt += 1) await signIn('not the password')
    expect((await signIn(password)).statusCode).toBe(429)
    now += 15 * 60 * 1000
    expect((await signIn(password)).statusCode).toBe(200)
  }, 20_000)

  it('never takes over a token that was there before (session fixation)', async () => {
    await createOwner()
    const planted = 'A'.repeat(43)
    const cookie = cookieOf(await signIn(password, { cookie: planted }))
    expect(cookie).not.toBe(planted)
    expect((await whoAmI(planted)).account).toBeNull()
  })

  it('ends everywhere on request, by password change, and by age', async () => {
    const first = await createOwner()
    const second = cookieOf(await signIn(password))
    await send('DELETE', '/dashboard/sessions', undefined, { cookie: first })
    expect((await whoAmI(second)).account).toBeNull()

    const third = cookieOf(await signIn(password))
    const changed = { current_password: password, new_password: 'another long password' }
    const fourth = cookieOf(await send('POST', '/dashboard/password', changed, { cookie: third }))
    expect((await whoAmI(third)).account).toBeNull()
    expect((await whoAmI(fourth)).account?.email).toBe(email)
    expect((await signIn(password)).statusCode).toBe(403)
    now += 8 * 24 * 60 * 60 * 1000
    expect((await whoAmI(fourth)).account).toBeNull()
  }, 20_000)

  it.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a tunnel on a sibling name', { 'sec-fetch-site': 'same-site' }],
    ['an old browser at another origin', { origin: 'http://evil.tunnel.localhost' }],
  ])('does not listen to %s (cross-site request forgery)', async (_who, headers) => {
    const cookie = await createOwner()
    expect((await whoAmI(cookie, { headers })).account).toBeNull()
    expect((await signIn(password, { headers })).statusCode).toBe(403)
  })

  it('stores no token and no password', async () => {
    const cookie = await createOwner()
    const rows = JSON.stringify([
      await storage.db.selectFrom('sign_ins').selectAll().execute(),
      await storage.db.selectFrom('accounts').selectAll().execute(),
    ])
    expect(rows).not.toContain(cookie)
    expect(rows).not.toContain(password)
  })
})

describe('the pages', () => {
  it('forbid frames, foreign scripts and inline scripts', async () => {
    const page = await send('GET', '/dashboard/sessions/ts_1')
    expect(page.body).toContain('the page')
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(page.headers['cache-control']).toBe('no-cache')
  })

  it('keep built files for ever and stay inside their folder', async () => {
    const file = await send('GET', '/dashboard/assets/index-abc.js')
    expect(file.headers['cache-control']).toContain('immutable')
    for (const path of ['/dashboard/../master.key', '/dashboard/..%2f..%2fmaster.key', '/dashboard/%2e%2e/master.key'])
      expect((await send('GET', path)).body).not.toMatch(/^[\w+/]{20}/)
  })
})
