import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connectUpstream } from '../forward/upstream-connection.ts'
import { parseTunnelEnvelope, type TunnelRecord } from '../tunnels/tunnel-record.ts'
import { parseUpstreamAddress } from '../tunnels/upstream-address.ts'

const answerTimeoutMs = 5000

/** Connects to where every stored tunnel leads. Only reads: the agent may be running. @throws Error naming those that fail */
export async function reachUpstreams(stateDir: string): Promise<string> {
  const problems = await Promise.all((await readRecords(join(stateDir, 'tunnels.json'))).map(findProblem))
  const failed = problems.filter((problem) => problem !== null)
  if (failed.length > 0) throw new Error([...new Set(failed)].join('; '))
  return `${problems.length} tunnels, all reach their upstream`
}

async function readRecords(path: string): Promise<readonly TunnelRecord[]> {
  try {
    return parseTunnelEnvelope(JSON.parse(await readFile(path, 'utf8'))).records
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

async function findProblem({ url, forwardsTo }: TunnelRecord): Promise<string | null> {
  const { socket, readyEvent } = connectUpstream(parseUpstreamAddress(forwardsTo))
  try {
    await once(socket, readyEvent, { signal: AbortSignal.timeout(answerTimeoutMs) })
    return null
  } catch (error) {
    const { code, name, message } = error as NodeJS.ErrnoException
    return `${forwardsTo} of ${url}: ${name === 'AbortError' ? 'no answer' : (code ?? message)}`
  } finally {
    socket.on('error', () => undefined).destroy()
  }
}
