import { get } from 'node:http'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runProcess, startAgent } from '@tunnel/testkit'
import { menuPages } from './dashboard-pages.ts'
import { DashboardWorld, visit } from './dashboard-world.ts'
import { createSampleFleet } from './sample-fleet.ts'

/** Pictures of every page for the documentation: `npm run screenshots`. Needs chromium, and pngquant to keep them small. */
const target = join(import.meta.dirname, '../../../../docs/images')
const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  narrow: { colorScheme: 'light', viewport: { width: 360, height: 740 } },
} as const
const trafficMs = 40_000

await using world = await DashboardWorld.start()
await using fleet = await createSampleFleet(world)
const pages = { ...Object.fromEntries(menuPages.slice(1).map((path) => [path, path])), ...fleet.detailPages }
await using _traffic = await makeTraffic()
const started = performance.now()
const overviews = await Promise.all(
  Object.entries(looks).map(async ([look, options]) => {
    const page = await world.newPage(options)
    await visit(page, world.url())
    return { look, page }
  }),
)
for (const [look, options] of Object.entries(looks)) {
  await mkdir(join(target, look), { recursive: true })
  const page = await world.newPage(options)
  for (const [name, path] of Object.entries(pages)) {
    await visit(page, world.url(path))
    await page.screenshot({ path: join(target, look, `${name}.png`) })
  }
}
await new Promise((resolve) => setTimeout(resolve, Math.max(0, trafficMs - (performance.now() - started))))
for (const { look, page } of overviews) await page.screenshot({ path: join(target, look, 'overview.png') })
for (const look of Object.keys(looks)) {
  const folder = join(target, look)
  const files = (await readdir(folder)).map((file) => join(folder, file))
  await runProcess('pngquant', ['--force', '--ext', '.png', '--strip', '32', ...files])
}

/** Some visitors, so that the charts have something to show. */
async function makeTraffic(): Promise<AsyncDisposable> {
  const { service, api } = world
  const { token } = await api.credentials.create({ description: 'sample of the overview' })
  const stateDir = join(world.dataDir, '../agent')
  const agent = await startAgent({
    authtoken: token,
    connectUrl: service.connectUrl(),
    caFile: service.caFile,
    stateDir,
    env: { AGENT_METADATA: 'site-a / web shop' },
  })
  await agent.untilOnline()
  await agent.createTunnel({ forwards_to: `127.0.0.1:${service.ports.api}`, domain: `shop.${service.zone}` })
  const visitors = setInterval(() => {
    const visits = 3 + Math.round(3 * Math.sin(performance.now() / 4000))
    for (let made = 0; made < visits; made++)
      get(
        { port: service.ports.edgeHttp, host: '127.0.0.1', path: '/readyz', headers: { host: `shop.${service.zone}` } },
        (response) => response.resume(),
      )
  }, 100)
  return {
    [Symbol.asyncDispose]: () => {
      clearInterval(visitors)
      return agent[Symbol.asyncDispose]()
    },
  }
}
