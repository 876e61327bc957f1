import { readFile } from 'node:fs/promises'
import { type IncomingMessage, type RequestOptions, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { ApiAccess } from '../config.ts'
import { lookup } from '../network/lookup.ts'
import { httpsAgentFor } from '../network/proxy.ts'
import { Trust } from '../network/trust.ts'

const replyMaxBytes = 1 << 20
const callLimitMs = 30_000

/** The management API could not be reached, or refused. The message is for the person who called. */
export class ApiCallError extends Error {
  override readonly name = 'ApiCallError'
  /** Null when no answer came. */
  readonly status: number | null

  constructor(message: string, status: number | null, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Calls the management API with the account's key. */
export class ManagementApi {
  readonly #access: ApiAccess
  readonly #trust: Trust

  constructor(access: ApiAccess) {
    this.#access = access
    this.#trust = new Trust(access.caFile)
  }

  /** The decoded reply. @throws ApiCallError for anything but success */
  async call(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const url = new URL(this.#access.apiUrl + path)
    const { status, text } = await this.#exchange(url, method, body).catch((error: NodeJS.ErrnoException) => {
      const reason = error.code ?? error.message
      throw new ApiCallError(`the API at ${url.origin} cannot be reached (${reason})`, null, { cause: error })
    })
    const reply = parseReply(text)
    if (status >= 300) throw new ApiCallError(describeRefusal(status, reply), status)
    return reply
  }

  async #exchange(url: URL, method: string, body?: object): Promise<{ status: number; text: string }> {
    const options: RequestOptions = { method, lookup, signal: AbortSignal.timeout(callLimitMs) }
    const json = body === undefined ? '' : JSON.stringify(body)
    options.headers = {
      authorization: `Bearer ${await readKey(this.#access.apiKey)}`,
      'service-version': '2',
      ...(json && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
    }
    const response = await this.#send(url, options, json)
    return { status: response.statusCode ?? 0, text: await readText(response) }
  }

  async #send(url: URL, options: RequestOptions, json: string): Promise<IncomingMessage> {
    const isTls = url.protocol === 'https:'
    const secureContext = isTls ? await this.#trust.secureContext() : undefined
    const agent = isTls ? httpsAgentFor(url.hostname, Number(url.port || 443), this.#access.proxy) : undefined
    return new Promise((resolve, reject) => {
      const all = { ...options, ...(agent && { agent }), ...(secureContext && { secureContext }) }
      const request = isTls ? httpsRequest(url, all, resolve) : httpRequest(url, all, resolve)
      request.on('error', reject).end(json)
    })
  }
}

async function readKey(source: ApiAccess['apiKey']): Promise<string> {
  if (source.kind === 'value') return source.value.reveal()
  return (await readFile(source.path, 'utf8')).trim()
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > replyMaxBytes) throw new Error('the reply is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parseReply(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describeRefusal(status: number, reply: unknown): string {
  const { error_code, msg } = (reply ?? {}) as { error_code?: unknown; msg?: unknown }
  if (typeof msg !== 'string') return `HTTP ${status}, which is no answer of the management API`
  return typeof error_code === 'string' ? `${msg} (${error_code})` : msg
}
