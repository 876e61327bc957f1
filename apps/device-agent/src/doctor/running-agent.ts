import type { Config } from '../config.ts'
import { fetchText } from '../network/http-client.ts'
import { Trust } from '../network/trust.ts'

const statusMaxBytes = 8 << 20

interface Status {
  readonly session: { readonly state: string; readonly last_error: { readonly message: string } | null }
}

/**
 * What the agent that runs here says of its session: its user may lack what the one who calls the doctor has, such as the
 * permission to read a file. @throws Error with the agent's own reason
 */
export async function askRunningAgent(apiListen: Config['apiListen']): Promise<string> {
  const status = await readStatus(apiListen)
  if (status?.session === undefined) return 'none answers here'
  const { state, last_error: problem } = status.session
  if (state !== 'online' && problem !== null) throw new Error(problem.message)
  return state
}

async function readStatus({ host, port }: Config['apiListen']): Promise<Partial<Status> | null> {
  const url = new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}/status`)
  const route = { proxy: null, trust: new Trust(null) }
  return fetchText(url, statusMaxBytes, route)
    .then((text) => JSON.parse(text) as Partial<Status>)
    .catch(() => null)
}
