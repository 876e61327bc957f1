import { Link } from 'react-router'
import { useSignInState } from '../api/sign-in.ts'
import { Code } from '../ui/code.tsx'
import { shellQuoted } from './shell-quoted.ts'

/** What to send to make a first one. */
export interface Example {
  /** May name the zone of the service. */
  readonly fields: (zone: string) => object
  /** Fields that hold what is in a file, by the name of the file. */
  readonly files?: Readonly<Record<string, string>>
}

/** Creates something by the API, ready to paste. */
export function ApiCommand({ path, example }: { readonly path: string; readonly example: Example }) {
  const { data } = useSignInState()
  const fields = example.fields(zoneOf(data?.connect_url))
  return (
    <>
      <p>
        Or by the API, with an <Link to="/api-keys">API key</Link> in <code>API_KEY</code>:
      </p>
      <Code label="Command" text={apiCommand(location.origin + path, fields, example.files)} />
    </>
  )
}

export function apiCommand(url: string, fields: object, files: Example['files'] = {}): string {
  const read = Object.entries(files).map(([name, file]) => `${name}: fs.readFileSync("${file}", "utf8")`)
  const given = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const program = `JSON.stringify({ ${[...given, ...read].join(', ')} })`
  const isPiped = read.length > 0
  const lines = [
    ...(isPiped ? [`node -p ${shellQuoted(program)}`] : []),
    `${isPiped ? '| ' : ''}curl ${url}`,
    `-H "Authorization: Bearer $API_KEY" -H 'Service-Version: 2'`,
    `-H 'Content-Type: application/json' -d ${isPiped ? '@-' : shellQuoted(JSON.stringify(fields))}`,
  ]
  return lines.join(' \\\n     ')
}

function zoneOf(connectUrl = 'wss://connect.example.com'): string {
  return new URL(connectUrl).hostname.replace(/^connect\./, '')
}
