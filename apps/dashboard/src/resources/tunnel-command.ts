import { shellQuoted } from '../resource/shell-quoted.ts'

/** Starts a tunnel by the local API of an agent, ready to paste. */
export function tunnelCommand(fields: object = {}): string {
  const body = JSON.stringify({ protocol: 'http', forwards_to: 'localhost:8000', ...fields })
  const lines = ['curl http://127.0.0.1:4301/tunnels', `-H 'Content-Type: application/json' -d ${shellQuoted(body)}`]
  return lines.join(' \\\n     ')
}
