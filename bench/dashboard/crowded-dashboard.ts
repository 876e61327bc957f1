import { setTimeout as sleep } from 'node:timers/promises'
import { DashboardWorld, visit } from '@tunnel/e2e/dashboard-world'
import { fromSource, processUsage, startAgent, startHttpUpstream, startProcess } from '@tunnel/testkit'
import type { Page } from 'playwright-core'
import { runSteadyLoad } from '../load/steady.ts'
import { median } from '../load/statistics.ts'
import type { BenchRow, BenchRun, Goal } from '../row.ts'

const CONNECT_LIMIT_MS = 60_000
const BROWSERS = 5
const LOADS = 5
const STEPS = 12
const SWARMS = 4
const HEARTBEAT_MS = 20_000
const WINDOW_SECONDS_MAX = 4
const READ_LIMIT_MS = 120_000

/** Five browsers look at thousands of sessions while visitors come: steps of a page, events, and CPU of the service. */
export const crowdedDashboard: BenchRow = {
  name: 'dashboard-crowd',
  async measure(run) {
    await using stack = new AsyncDisposableStack()
    const world = stack.use(await DashboardWorld.start())
    const count = run.isQuick ? 1_000 : 10_000
    await connectCrowd(stack, world, count)
    const page = await world.newPage()
    const usable = await firstLoad(world)
    await showAllSessions(page, world, count)
    const { scroll, filter } = await steps(page)
    const event = await eventLatency(world, page)
    await page.context().close()
    const load = run.isQuick ? 100 : 1_000
    const { cpu, arrived } = await costOfWatching(stack, world, run, load)
    const what = `${count.toLocaleString('en')} sessions`
    const ms = (name: string, value: number, required: number): Goal => ({
      what: `${what}: ${name}`,
      value,
      unit: 'ms',
      better: 'lower',
      required,
    })
    return {
      goals: [
        ms('first rows of the list, and the search takes input', usable, 1_000),
        ms('scroll step, drawn', scroll, 100),
        ms('filter step, drawn', filter, 100),
        ms('an event is on the page', event, 500),
        {
          what: `${what}: requests that arrived meanwhile, of ${load}/s`,
          value: arrived,
          unit: '/s',
          better: 'higher',
          required: load * 0.95,
        },
        {
          what: `${what}, ${load} requests/s: five browsers, of a core`,
          value: cpu,
          unit: '%',
          better: 'lower',
          required: 10,
        },
      ],
    }
  },
}

/**
 * In browsers that have never seen the pages: until there are sessions to see, and a search that answers. Looked for by
 * class: to find names and texts takes the browser as long as to draw them.
 */
async function firstLoad(world: DashboardWorld): Promise<number> {
  const loads: number[] = []
  for (let load = 0; load < LOADS; load++) {
    const page = await world.newPage()
    loads.push(
      await timed(async () => {
        await page.goto(world.url('sessions'))
        await page.locator('.table [role=row]').nth(1).waitFor()
        await page.locator('.search input').fill('no such thing')
        await page.locator('.table .nothing').waitFor()
      }),
    )
    await page.context().close()
  }
  return median(loads)
}

/** From several processes: one alone is too busy with handshakes to answer the heartbeats of those before. */
async function connectCrowd(stack: AsyncDisposableStack, world: DashboardWorld, count: number): Promise<void> {
  const { service, api } = world
  const { token } = await api.credentials.create({ description: 'crowd' })
  const { command, args } = fromSource('bench/swarm.ts')
  const each = String(count / SWARMS)
  for (let swarm = 0; swarm < SWARMS; swarm++) {
    const swarmArgs = [...args, service.connectUrl('plain'), service.caFile, token, each, String(HEARTBEAT_MS)]
    const running = stack.use(await startProcess(command, swarmArgs))
    await running.waitForOutput(/^connected in (\d+) ms$/m, CONNECT_LIMIT_MS)
  }
}

async function showAllSessions(page: Page, world: DashboardWorld, count: number): Promise<void> {
  await visit(page, world.url('sessions'))
  await page.getByText(new RegExp(`^${count} in all`)).waitFor({ timeout: 60_000 })
}

/** From the input of a step until the browser has drawn what follows of it. */
async function steps(page: Page): Promise<{ scroll: number; filter: number }> {
  const drawn = (action: string) =>
    page.evaluate<number>(`new Promise((resolve) => {
      const startedAt = performance.now()
      ${action}
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - startedAt)))
    })`)
  const scrolls: number[] = []
  const filters: number[] = []
  for (let step = 0; step < STEPS; step++) {
    scrolls.push(await drawn(`document.querySelector('.table').scrollTop += 3000`))
    filters.push(
      await drawn(`{
        const input = document.querySelector('.search input')
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, '${'127.0.0'.slice(0, step % 8)}')
        input.dispatchEvent(new Event('input', { bubbles: true }))
      }`),
    )
  }
  return { scroll: median(scrolls), filter: median(filters) }
}

async function eventLatency(world: DashboardWorld, page: Page): Promise<number> {
  await visit(page, world.url('bot-users'))
  const latencies: number[] = []
  for (let round = 0; round < 5; round++) {
    const name = `newcomer ${round}`
    const appeared = page.getByText(name).waitFor()
    latencies.push(await timed(async () => Promise.all([world.api.botUsers.create({ name }), appeared])))
  }
  return median(latencies)
}

/** CPU of the service under the same load with and without browsers, in percent of a core, and the load that it had. */
async function costOfWatching(
  stack: AsyncDisposableStack,
  world: DashboardWorld,
  run: BenchRun,
  requestsPerSecond: number,
): Promise<{ cpu: number; arrived: number }> {
  const target = await startLoadedTunnel(stack, world)
  stack.use(runSteadyLoad(target, requestsPerSecond))
  const seconds = Math.min(run.seconds, WINDOW_SECONDS_MAX)
  const shares: number[] = []
  const rates: number[] = []
  for (let round = 1; round <= run.rounds; round++) {
    const alone = await observe(world, seconds)
    const pages: Page[] = []
    while (pages.length < BROWSERS) pages.push(await openWatcher(world, pages.length))
    await Promise.all(pages.map(untilRead))
    const watched = await observe(world, seconds)
    for (const page of pages) await page.context().close()
    shares.push(watched.cpu - alone.cpu)
    rates.push(alone.rate, watched.rate)
    run.note(`  ${round}. alone ${alone.cpu.toFixed(1)} %, watched ${watched.cpu.toFixed(1)} %`)
  }
  return { cpu: median(shares), arrived: median(rates) }
}

/** Until a page has read its lists: what it asks for from then on is what watching costs. */
async function untilRead(page: Page): Promise<void> {
  const options = { state: 'detached', timeout: READ_LIMIT_MS } as const
  await page.locator('.tile strong', { hasText: '…' }).first().waitFor(options)
  await page.locator('output', { hasText: 'Reading more…' }).waitFor(options)
}

async function startLoadedTunnel(stack: AsyncDisposableStack, { api, service, dataDir }: DashboardWorld) {
  const upstream = stack.use(await startHttpUpstream())
  const { token } = await api.credentials.create({ description: 'behind the load' })
  const agent = stack.use(
    await startAgent({
      authtoken: token,
      connectUrl: service.connectUrl(),
      caFile: service.caFile,
      stateDir: `${dataDir}-agent`,
    }),
  )
  await agent.untilOnline()
  const host = `load.${service.zone}`
  await agent.createTunnel({ forwards_to: `127.0.0.1:${upstream.port}`, domain: host })
  return { port: service.ports.edgeHttp, host }
}

/** Some people look at the overview, some at the sessions: the two pages that live on events. */
async function openWatcher(world: DashboardWorld, index: number): Promise<Page> {
  const page = await world.newPage()
  await visit(page, world.url(index % 2 === 0 ? '' : 'sessions'))
  return page
}

/** What the service used, in percent of a core, and the requests a second that it counted. */
async function observe({ service }: DashboardWorld, seconds: number): Promise<{ cpu: number; rate: number }> {
  const requestsBefore = await requestsSoFar(service.apiUrl)
  const startedAt = performance.now()
  const cpuBefore = processUsage([service.process.pid]).cpuSeconds
  await sleep(seconds * 1000)
  const cpu = processUsage([service.process.pid]).cpuSeconds - cpuBefore
  const elapsed = (performance.now() - startedAt) / 1000
  return { cpu: (cpu / elapsed) * 100, rate: ((await requestsSoFar(service.apiUrl)) - requestsBefore) / elapsed }
}

async function requestsSoFar(apiUrl: string): Promise<number> {
  const text = await (await fetch(`${apiUrl}/metrics`)).text()
  return [...text.matchAll(/^edge_requests_total\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
