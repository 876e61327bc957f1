import { join } from 'node:path'
import { type ApiClient, createApiClient } from '@tunnel/api-client'
import { type RunningService, type ServiceOptions, startService, tempDir } from '@tunnel/testkit'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startBrowser } from '../browser.ts'

export const owner = { email: 'owner@example.com', password: 'correct horse battery' }

/** A service whose first account is signed in, and a browser that holds its cookie. */
export class DashboardWorld implements AsyncDisposable {
  readonly service: RunningService
  readonly dataDir: string
  /** The management API, called as the pages call it. */
  readonly api: ApiClient
  readonly #cookie: { readonly name: string; readonly value: string }
  readonly #browser: Browser
  readonly #owned: AsyncDisposableStack

  private constructor(parts: Parts) {
    this.service = parts.service
    this.dataDir = parts.dataDir
    this.#cookie = parts.cookie
    this.#browser = parts.browser
    this.#owned = parts.owned
    const cookie = `${parts.cookie.name}=${parts.cookie.value}`
    this.api = createApiClient({
      baseUrl: parts.service.apiUrl,
      fetch: (url, init) => fetch(url, withCookie(cookie, init)),
    })
  }

  static async start(options: Partial<ServiceOptions> = {}): Promise<DashboardWorld> {
    await using starting = new AsyncDisposableStack()
    const { path } = starting.use(await tempDir())
    const dataDir = join(path, 'service')
    const service = starting.use(await startService({ dataDir, ...options }))
    const cookie = await createOwner(service.apiUrl)
    const browser = starting.use(await startBrowser())
    return new DashboardWorld({ service, dataDir, cookie, browser, owned: starting.move() })
  }

  url(path = ''): string {
    return `${this.service.apiUrl}/dashboard/${path}`
  }

  /** A request as a script of the pages would send it. */
  async send(method: string, path: string, body?: unknown): Promise<Response> {
    const { name, value } = this.#cookie
    return fetch(this.service.apiUrl + path, {
      method,
      headers: {
        cookie: `${name}=${value}`,
        'service-version': '2',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  /** A page of a browser of its own, signed in and still empty. */
  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ reducedMotion: 'reduce', ...options })
    await context.addCookies([{ ...this.#cookie, url: this.service.apiUrl, httpOnly: true, sameSite: 'Strict' }])
    return context.newPage()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync()
  }
}

interface Parts {
  readonly service: RunningService
  readonly dataDir: string
  readonly cookie: { readonly name: string; readonly value: string }
  readonly browser: Browser
  readonly owned: AsyncDisposableStack
}

/** Opens a page of the dashboard and waits until its heading and its data are there. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('main[aria-busy=false]').waitFor()
}

/** As `visit`, for a page that shows another page of the dashboard already: no reload, as behind a link. */
export async function visitWithin(page: Page, path: string): Promise<void> {
  await page.evaluate(`{
    document.querySelector('h1').dataset.left = ''
    history.pushState(null, '', ${JSON.stringify(`/dashboard/${path}`)})
    dispatchEvent(new PopStateEvent('popstate'))
  }`)
  await page.locator('h1:not([data-left])').waitFor()
  await page.locator('main[aria-busy=false]').waitFor()
}

async function createOwner(apiUrl: string): Promise<{ name: string; value: string }> {
  const reply = await fetch(`${apiUrl}/dashboard/first_account`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...owner, setup_token: '' }),
  })
  const [pair = ''] = (reply.headers.get('set-cookie') ?? '').split(';')
  const [name = '', value = ''] = pair.split('=')
  if (name === '') throw new Error(`The first account was not created: ${reply.status} ${await reply.text()}`)
  return { name, value }
}

function withCookie(cookie: string, init: RequestInit = {}): RequestInit {
  const headers = new Headers(init.headers)
  headers.set('cookie', cookie)
  return { ...init, headers }
}
