import { readFileSync } from 'node:fs'
import { openSession } from '@tunnel/e2e/session-client'

/**
 * Many idle agents in one process: `node swarm.ts CONNECT_URL CA_FILE AUTHTOKEN COUNT [HEARTBEAT_MS]`. Ends when it is told
 * to. A slower heartbeat than an agent's own leaves a small machine to what is measured beside the swarm.
 */
const [connectUrl = '', caFile = '', authtoken = '', count = '0', heartbeatMs] = process.argv.slice(2)
const heartbeat = { intervalMs: Number(heartbeatMs), toleranceMs: Number(heartbeatMs) }
const hello = heartbeatMs === undefined ? {} : { heartbeat }
const HANDSHAKES_AT_ONCE = 64

const ca = readFileSync(caFile)
const startedAt = performance.now()
let opened = 0

async function openOneAfterTheOther(): Promise<void> {
  while (opened < Number(count)) {
    opened++
    const { ended } = await openSession({ connectUrl, authtoken, ca, hello })
    void ended.then(({ message }) => {
      console.log(`lost a session: ${message}`)
      process.exit(1)
    })
  }
}

await Promise.all(Array.from({ length: HANDSHAKES_AT_ONCE }, openOneAfterTheOther))
console.log(`connected in ${Math.round(performance.now() - startedAt)} ms`)
process.on('SIGTERM', () => process.exit(0))
