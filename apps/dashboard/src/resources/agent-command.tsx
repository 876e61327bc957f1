import { useSignInState } from '../api/sign-in.ts'
import { Code } from '../ui/code.tsx'

/** Starts an agent on a device, ready to paste; a token that was just made is part of it. */
export function AgentCommand({ authtoken = '…' }: { readonly authtoken?: string }) {
  const { data } = useSignInState()
  return <Code label="Command" text={agentCommand(location.origin, data?.connect_url ?? 'wss://…', authtoken)} />
}

/** Pages that came in clear are those of a service on this machine: its certificates are of its own authority. */
export function agentCommand(origin: string, connectUrl: string, authtoken: string): string {
  const isLocal = origin.startsWith('http:')
  const settings = [
    `SERVICE_AUTHTOKEN=${authtoken}`,
    `SERVICE_CONNECT_URL=${connectUrl}`,
    ...(isLocal ? ['SERVICE_CONNECT_CA_FILE=local-ca.pem'] : []),
  ]
  const start = `${settings.join(' ')} npm run --silent agent -- run`
  return isLocal ? `curl -fsSO ${origin}/local-ca.pem\n${start}` : start
}
