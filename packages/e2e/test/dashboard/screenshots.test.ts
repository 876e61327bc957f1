import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { menuPages } from '../../src/dashboard/dashboard-pages.ts'
import { DashboardWorld, visit } from '../../src/dashboard/dashboard-world.ts'
import { createSampleFleet } from '../../src/dashboard/sample-fleet.ts'

const target = join(import.meta.dirname, '../../../../docs/images')

const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  narrow: { colorScheme: 'light', viewport: { width: 360, height: 740 } },
} as const

/** Pictures of every page for the documentation; made anew with TEST_SCREENSHOTS=1. */
it.runIf(process.env['TEST_SCREENSHOTS'])('every page is photographed', { timeout: 300_000 }, async () => {
  await using world = await DashboardWorld.start()
  await using fleet = await createSampleFleet(world)
  const pages = { ...Object.fromEntries(menuPages.map((path) => [path || 'overview', path])), ...fleet.detailPages }
  for (const [look, options] of Object.entries(looks)) {
    mkdirSync(join(target, look), { recursive: true })
    const page = await world.newPage(options)
    for (const [name, path] of Object.entries(pages)) {
      await visit(page, world.url(path))
      await page.screenshot({ path: join(target, look, `${name}.png`), fullPage: look !== 'narrow' })
    }
    await page.context().close()
  }
})
