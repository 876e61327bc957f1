import type { CompileOptions, Policy, PolicyHost, Problem, Warning } from '../src/index.ts'
import { compilePolicy, type Outcome, type PolicyExchange, type RequestFacts, validatingHost } from '../src/index.ts'

export interface Sample {
  readonly method?: string
  readonly url?: string
  /** Pairs keep their order and duplicates. */
  readonly headers?: Readonly<Record<string, string>> | readonly (readonly [string, string])[]
  readonly clientIp?: string
  readonly body?: string | Uint8Array
}

export interface Failure {
  readonly rule: string
  readonly what: string
  readonly message: string
}

/** A host that remembers what rules did. */
export class RecordingHost implements PolicyHost {
  nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
  readonly failures: Failure[] = []
  readonly matchedRules: string[] = []
  readonly logs: Record<string, unknown>[] = []
  readonly state = new Map<string, unknown>()
  fetchKeySet?: PolicyHost['fetchKeySet']
  ipPolicy?: PolicyHost['ipPolicy']
  readonly now = (): number => this.nowMs
  readonly random = (): number => 0.5
  readonly observer: PolicyHost['observer'] = {
    matched: (rule) => void this.matchedRules.push(rule.name),
    terminated() {},
    failed: (rule, what, message) => void this.failures.push({ rule: rule.name, what, message }),
    logged: (_rule, metadata) => void this.logs.push({ ...metadata }),
  }
}

export function compile(
  document: unknown,
  host: PolicyHost = validatingHost,
  protocol: CompileOptions['protocol'] = 'http',
): Policy {
  const compiled = compilePolicy(document, { protocol, host })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
  return compiled.policy
}

export function problemsOf(
  document: unknown,
  protocol: CompileOptions['protocol'] = 'http',
  host: PolicyHost = validatingHost,
): readonly Problem[] {
  const compiled = compilePolicy(document, { protocol, host })
  return compiled.ok ? [] : compiled.problems
}

export function warningsOf(document: unknown): readonly Warning[] {
  return compilePolicy(document, { protocol: 'http', host: validatingHost }).warnings
}

/** A document with one rule of one action. */
export function oneAction(
  type: string,
  config: unknown,
  phase = 'inbound',
  expressions: readonly string[] = [],
): unknown {
  return { [phase]: [{ expressions, actions: [config === undefined ? { type } : { type, config }] }] }
}

export function begin(policy: Policy, sample: Sample = {}): PolicyExchange {
  return policy.begin({ connection: connection(sample.clientIp), endpoint, request: requestFacts(sample) })
}

export interface Result {
  readonly outcome: Outcome | undefined
  readonly exchange: PolicyExchange
  /** Headers of the request as the upstream gets them, `name: value`. */
  readonly requestHeaders: readonly string[]
  readonly responseHeaders: readonly string[]
}

export async function runRequest(policy: Policy, sample?: Sample): Promise<Result> {
  const exchange = begin(policy, sample)
  return result(exchange, await policy.onRequest(exchange))
}

export async function runResponse(
  policy: Policy,
  response: { status?: number; headers?: Sample['headers'] } = {},
  sample?: Sample,
): Promise<Result> {
  const exchange = begin(policy, sample)
  const facts = { statusCode: response.status ?? 200, rawHeaders: rawHeaders(response.headers) }
  return result(exchange, await policy.onResponse(exchange, facts))
}

export async function runConnect(policy: Policy, clientIp: string): Promise<Outcome | undefined> {
  return policy.onConnect(policy.begin({ connection: connection(clientIp), endpoint }))
}

const endpoint = {
  id: 'ep_1',
  url: 'https://app.example.com',
  protocol: 'https',
  host: 'app.example.com',
  port: 443,
} as const

function connection(clientIp = '203.0.113.7') {
  return {
    clientIp,
    clientPort: 50_000,
    serverIp: '198.51.100.1',
    serverPort: 443,
    serverRegion: 'local',
    startedAtMs: 0,
  }
}

function requestFacts({ method = 'GET', url = 'https://app.example.com/', headers, body }: Sample): RequestFacts {
  const {
    scheme = 'https',
    authority = '',
    target = '/',
  } = /^(?<scheme>\w+):\/\/(?<authority>[^/?]*)(?<target>.*)$/.exec(url)?.groups ?? {}
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return {
    method,
    scheme: scheme === 'http' ? 'http' : 'https',
    authority,
    target: target === '' ? '/' : target,
    httpVersion: '1.1',
    rawHeaders: ['Host', authority, ...rawHeaders(headers)],
    receivedAtMs: 0,
    ...(bytes && {
      readBody: (maxBytes) =>
        bytes.length > maxBytes ? Promise.reject(new Error('too large')) : Promise.resolve(bytes),
    }),
  }
}

function rawHeaders(headers: Sample['headers'] = []): string[] {
  return (Array.isArray(headers) ? headers : Object.entries(headers)).flat() as string[]
}

function result(exchange: PolicyExchange, outcome: Outcome | undefined): Result {
  return {
    exchange,
    outcome,
    requestHeaders: lines(exchange.request?.headers.raw),
    responseHeaders: lines(exchange.response?.headers.raw),
  }
}

function lines(raw: readonly string[] = []): string[] {
  return Array.from({ length: raw.length / 2 }, (_, index) => `${raw[2 * index]}: ${raw[2 * index + 1]}`)
}
