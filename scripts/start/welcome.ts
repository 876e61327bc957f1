import type { FirstRun } from './first-run.ts'
import type { RunningProgram } from './process-group.ts'

interface Welcome {
  readonly tunnelHost: string
  readonly service: RunningProgram
  readonly agent: RunningProgram
  readonly firstRun: FirstRun | null
  readonly caFile: string
}

/** Prints where everything is, the secrets of a first run, and what to try next. */
export function printWelcome({ tunnelHost, service, agent, firstRun, caFile }: Welcome): void {
  const plain = publicUrl('http', tunnelHost, service.address('edge-http'))
  const secure = publicUrl('https', tunnelHost, service.address('edge-https'))
  const api = service.address('api')
  console.log(`
Public URL      ${plain}
                ${secure}  (certificate authority: ${caFile})
Dashboard       ${api}/dashboard/
Agent's API     ${agent.address('local-api')}/tunnels
${firstRun === null ? secretsKept : secretsOf(firstRun)}
Try next
  curl ${plain}
  curl --cacert ${caFile} ${secure}/clock
  curl -X POST ${agent.address('local-api')}/tunnels -H 'Content-Type: application/json' \\
       -d '{"protocol":"http","forwards_to":"localhost:8000"}'
  curl ${api}/tunnel_sessions -H 'Authorization: Bearer API_KEY' -H 'Service-Version: 2'

Ctrl-C stops all of it.`)
}

const secretsKept = `
The secrets were printed by the first run. For a new API key:
  npm run --silent service -- api-key create --account owner@tunnel.localhost
`

function secretsOf({ email, password, apiKey }: FirstRun): string {
  return `
Shown once, keep them:
  Sign-in       ${email}  ${password}
  API key       ${apiKey}
`
}

function publicUrl(scheme: 'http' | 'https', host: string, listener: string): string {
  const port = new URL(listener).port
  return `${scheme}://${host}${port === '' ? '' : `:${port}`}`
}
