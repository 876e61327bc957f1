import { ConnectError, type ConnectProblem } from '../session/connect-error.ts'

/** What this device connects to first: the service, or the proxy before it. */
export interface FirstHop {
  readonly host: string
  readonly port: number
  /** The setting that names it. */
  readonly variable: 'SERVICE_CONNECT_URL' | 'HTTPS_PROXY'
}

export const fixClock = 'Let the device set its clock (for example by systemd-timesyncd), and allow NTP.'

/** What to do when nobody takes the connection. */
export function fixTcp(error: unknown, { host, port, variable }: FirstHop): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return `Nobody listens at ${host} port ${port}: start it, or correct ${variable}.`
  if (code === 'ENETUNREACH' || code === 'EHOSTUNREACH')
    return 'This device has no way there: check its cable, WLAN or SIM, its address and its default route.'
  const otherWay = variable === 'SERVICE_CONNECT_URL' ? ', or set HTTPS_PROXY' : ''
  return `Allow connections from this device to ${host} port ${port}${otherWay}.`
}

const fixes: Partial<Record<ConnectProblem, string>> = {
  clock_suspect: fixClock,
  tls_failed:
    'Copy the root certificate of the service to this device and name the file in SERVICE_CONNECT_CA_FILE; where a proxy or a portal has a certificate of its own, use a network without it.',
  ca_file_unusable: 'Correct SERVICE_CONNECT_CA_FILE: a file with certificates (PEM) that the agent can read.',
  proxy_authentication_failed: 'Correct user and password in HTTPS_PROXY.',
}

/** What to do when the connection does not become a session's. */
export function fixConnect(error: unknown, { variable }: FirstHop): string {
  const known = error instanceof ConnectError ? fixes[error.problem] : undefined
  if (known !== undefined) return known
  const proxy = variable === 'HTTPS_PROXY' ? ', and whether the proxy allows CONNECT to it' : ''
  return `Check SERVICE_CONNECT_URL${proxy}; behind a captive portal, sign in there first.`
}
