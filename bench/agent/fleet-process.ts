import { Fleet } from '@tunnel/e2e/fleet'

/**
 * Many agents in one process: `node fleet-process.ts CONNECT_URL CA_FILE AUTHTOKEN COUNT`. Prints `connected`, and after the
 * service has been away `back`, with how the sessions came. Ends when it is told to.
 */
const [connectUrl = '', caFile = '', authtoken = '', count = '0'] = process.argv.slice(2)
const STARTED_AT_ONCE = 64
const BACK_LIMIT_MS = 120_000

const fleet = new Fleet({ connectUrl, caFile, authtoken, count: Number(count) })
await fleet.start(STARTED_AT_ONCE)
console.log('connected')
while (fleet.isAllOnline) await new Promise((resolve) => setTimeout(resolve, 50))
fleet.onlineAtMs.length = 0
fleet.problems.clear()
process.once('SIGUSR2', () => void report(performance.now()))

/** The service listens again since `sinceMs`. */
async function report(sinceMs: number): Promise<void> {
  await fleet.untilAllOnline(BACK_LIMIT_MS)
  const times = fleet.onlineAtMs.map((time) => time - sinceMs).toSorted((a, b) => a - b)
  const { problems } = fleet
  console.log(`back ${JSON.stringify({ times, problems: Object.fromEntries(problems) })}`)
}
