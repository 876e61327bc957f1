import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type Transport, WEB_SOCKET_SUBPROTOCOL, webSocketTransport, wire } from '@tunnel/session-protocol'
import { WebSocket } from 'ws'
import { lookup } from '../network/lookup.ts'
import { httpsAgentFor, type ProxyConfig } from '../network/proxy.ts'
import { CaFileError, type Trust } from '../network/trust.ts'
import { ConnectError, type ConnectProblem } from './connect-error.ts'

interface DialTarget {
  readonly connectUrl: string
  readonly proxy: ProxyConfig | null
  readonly trust: Trust
}

const handshakeTimeoutMs = 10_000

/** An open way to the service. */
export interface Link {
  readonly transport: Transport
  /** The address of this device that it leaves from. */
  readonly localAddress: string
}

/** Opens the WebSocket of a session. @throws ConnectError */
export async function dial({ connectUrl, proxy, trust }: DialTarget, signal: AbortSignal): Promise<Link> {
  const secureContext = await trust.secureContext().catch((error: unknown) => {
    throw error instanceof CaFileError ? new ConnectError('ca_file_unusable', error.message) : error
  })
  const url = new URL(connectUrl)
  const isTls = url.protocol === 'wss:'
  return openLink(
    new WebSocket(url, WEB_SOCKET_SUBPROTOCOL, {
      perMessageDeflate: false,
      maxPayload: wire.messageMaxBytes,
      // Masks protect plain proxies from cached content; inside TLS, and on loopback, they only cost.
      generateMask: (mask) => mask.fill(0),
      lookup,
      ...(isTls && { agent: httpsAgentFor(url.hostname, Number(url.port || 443), proxy) }),
      ...(secureContext && { secureContext }),
    }),
    signal,
  )
}

function openLink(webSocket: WebSocket, signal: AbortSignal): Promise<Link> {
  return new Promise((resolve, reject) => {
    let socket: Socket | undefined
    const giveUp = (): void => {
      reject(new ConnectError('timeout', 'the service did not answer in time'))
      webSocket.terminate()
    }
    const limit = AbortSignal.any([signal, AbortSignal.timeout(handshakeTimeoutMs)])
    limit.addEventListener('abort', giveUp, { once: true })
    webSocket.once('upgrade', (response: IncomingMessage) => {
      socket = response.socket
    })
    webSocket.on('unexpected-response', (request: ClientRequest, response: IncomingMessage) => {
      reject(describeAnswer(response))
      request.destroy()
    })
    webSocket.on('error', (error) => reject(describeFailure(error)))
    webSocket.once('close', () => reject(new ConnectError('network_unreachable', 'the connection was closed')))
    webSocket.once('open', () => {
      limit.removeEventListener('abort', giveUp)
      if (socket === undefined) return
      const transport = webSocketTransport(webSocket, socket.setNoDelay(true), 'client')
      resolve({ transport, localAddress: socket.localAddress ?? '' })
    })
  })
}

function describeAnswer({ statusCode = 0, headers }: IncomingMessage): ConnectError {
  if (statusCode === 407) return new ConnectError('proxy_authentication_failed', 'the proxy wants other credentials')
  const seconds = Number(headers['retry-after'])
  return new ConnectError(
    'unexpected_answer',
    `HTTP ${statusCode} instead of a session: not the service's address, or a captive portal in between`,
    Number.isFinite(seconds) ? seconds * 1000 : null,
  )
}

const problemsByCode: Readonly<Record<string, ConnectProblem>> = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'dns_failed',
  EAI_AGAIN: 'dns_failed',
  EAI_FAIL: 'dns_failed',
  ETIMEDOUT: 'timeout',
  CERT_NOT_YET_VALID: 'clock_suspect',
  EPROTO: 'tls_failed',
}

const networkCode = /^E[A-Z]+$/

function describeFailure(error: NodeJS.ErrnoException): ConnectError {
  const { code } = error
  if (code === undefined) return new ConnectError('unexpected_answer', error.message)
  const problem = problemsByCode[code] ?? (networkCode.test(code) ? 'network_unreachable' : 'tls_failed')
  return new ConnectError(problem, `${hints[problem] ?? 'the service cannot be reached'} (${code})`)
}

const hints: Partial<Record<ConnectProblem, string>> = {
  clock_suspect: "the service's certificate is not valid yet, so the clock of this device is probably wrong",
  tls_failed: "the service's certificate is not trusted; SERVICE_CONNECT_CA_FILE may add its authority",
  dns_failed: 'the name of the service cannot be resolved',
}
