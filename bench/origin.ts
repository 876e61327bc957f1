import { startHttpUpstream } from '@tunnel/testkit'

/** The program behind every contender, as a process of its own. */
const upstream = await startHttpUpstream()
console.log(`port ${upstream.port}`)
process.on('SIGTERM', () => void upstream[Symbol.asyncDispose]())
