import { lookup as lookupPromise } from 'node:dns/promises'
import { connect } from 'node:net'
import type { Config } from '../config.ts'
import { isLocalhostName } from '../network/ip-ranges.ts'
import { isDirect } from '../network/proxy.ts'
import { Trust } from '../network/trust.ts'
import { dial, type Link } from '../session/dial.ts'
import { readAuthtoken } from '../session/hello.ts'
import { askRunningAgent } from './running-agent.ts'
import { type FirstHop, fixClock, fixConnect, fixTcp } from './fixes.ts'
import { ask } from './trial-hello.ts'
import { reachUpstreams } from './upstreams.ts'

/** One thing that must work, in the order in which a session needs it. */
interface Step {
  readonly name: string
  /** What was found. @throws Error whose message names the fault */
  readonly check: () => Promise<string>
  readonly fix: (error: unknown) => string
}

const connectTimeoutMs = 10_000
const clockSkewMaxMs = 60_000

/** Reaches the service step by step and stops at the first that fails. True: a session can be had. */
export async function doctor(config: Config, print: (line: string) => void): Promise<boolean> {
  for (const { name, check, fix } of steps(config)) {
    try {
      print(`ok    ${name}: ${await check()}`)
    } catch (error) {
      print(`FAIL  ${name}: ${(error as Error).message}`)
      print(`      ${fix(error)}`)
      return false
    }
  }
  return true
}

function steps(config: Config): readonly Step[] {
  const target = firstHop(config)
  let link: Link | null = null
  let serverTime = ''
  return [
    {
      name: 'authtoken',
      check: async () => ((await readAuthtoken(config.authtoken)).length > 0 ? 'present' : fault('it is empty')),
      fix: () => 'Put the authtoken into SERVICE_AUTHTOKEN, or into the file that SERVICE_AUTHTOKEN_FILE names.',
    },
    {
      name: 'DNS',
      check: async () => (isLocalhostName(target.host) ? 'loopback' : (await lookupPromise(target.host)).address),
      fix: () =>
        `Check that this device has a network, the name ${target.host} in ${target.variable}, and the resolver of this device.`,
    },
    { name: 'TCP', check: () => openTcp(target), fix: (error) => fixTcp(error, target) },
    {
      name: 'TLS and WebSocket',
      check: async () => {
        link = await dial({ ...config, trust: new Trust(config.connectCaFile) }, AbortSignal.timeout(connectTimeoutMs))
        return 'open'
      },
      fix: (error) => fixConnect(error, target),
    },
    {
      name: 'hello',
      check: async () => {
        const answer = link === null ? fault('no connection') : await ask(link.transport, config)
        serverTime = answer.serverTime
        return `welcome from region ${answer.region}`
      },
      fix: () => 'Create a new authtoken at the service, or correct what the service complains about.',
    },
    { name: 'clock', check: async () => describeSkew(Date.now() - Date.parse(serverTime)), fix: () => fixClock },
    {
      name: 'upstreams',
      check: () => reachUpstreams(config.stateDir),
      fix: () => 'Start the program that shall listen there, or create the tunnel again with another forwards_to.',
    },
    {
      name: 'running agent',
      check: () => askRunningAgent(config.apiListen),
      fix: () =>
        'From here the service can be reached, so the agent lacks something: let its user read the files that its settings name, and restart it when they have changed.',
    },
  ]
}

/** With a proxy in between, only the proxy has to be reached from here. */
function firstHop({ connectUrl, proxy }: Config): FirstHop {
  const url = new URL(connectUrl)
  const port = Number(url.port || (url.protocol === 'wss:' ? 443 : 80))
  if (proxy === null || isDirect(url.hostname, port, proxy.noProxy))
    return { host: plainHost(url), port, variable: 'SERVICE_CONNECT_URL' }
  const proxyUrl = new URL(proxy.url.reveal())
  const proxyPort = Number(proxyUrl.port || (proxyUrl.protocol === 'https:' ? 443 : 80))
  return { host: plainHost(proxyUrl), port: proxyPort, variable: 'HTTPS_PROXY' }
}

function plainHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function openTcp({ host, port }: FirstHop): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: isLocalhostName(host) ? 'localhost' : host, port, timeout: connectTimeoutMs })
    socket.once('connect', () => {
      resolve(`${socket.remoteAddress} port ${port}`)
      socket.destroy()
    })
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
    socket.once('error', (error: NodeJS.ErrnoException) =>
      reject(Object.assign(new Error(error.code ?? error.message), { code: error.code })),
    )
  })
}

function describeSkew(skewMs: number): string {
  const text = `${(skewMs / 1000).toFixed(1)} s against the service`
  return Math.abs(skewMs) <= clockSkewMaxMs ? text : fault(text)
}

function fault(message: string): never {
  throw new Error(message)
}
