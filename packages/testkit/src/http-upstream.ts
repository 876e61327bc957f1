import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'

const BLOCK = randomBytes(64 * 1024)
const ZEROS = Buffer.alloc(64 * 1024)

/** A program behind an agent, with a page for each way of answering that a tunnel has to carry. */
export interface HttpUpstream extends AsyncDisposable {
  readonly port: number
  /** Requests whose answer is not finished. */
  readonly openRequestCount: number
}

type Page = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>

/**
 * `/` greets in 13 bytes · `/bytes/N` streams one repeated block · `/random/N` streams a fixed pseudo-random sequence ·
 * `/hash` answers size and SHA-256 of what was sent · `/echo` sends the body back as it comes · `/request` describes the
 * request as JSON · `/drip?count&interval_ms&type` writes one monotonic time stamp per line · `/events` the same as
 * Server-Sent Events · `/trailers` ends with a trailer · `/status/N` · `/never` does not answer · a WebSocket on any path echoes.
 */
const pages: Readonly<Record<string, Page>> = {
  '': (_request, response) => void response.end('Hello, World!'),
  bytes: (_request, response, url) => sendBlocks(response, lastNumber(url), () => BLOCK),
  random: (_request, response, url) => sendBlocks(response, lastNumber(url), pseudoRandomBlocks()),
  hash: answerHash,
  echo: (request, response) => void request.pipe(response),
  request: describeRequest,
  drip: (_request, response, url) => drip(response, url, (stamp) => `${stamp}\n`),
  events: (_request, response, url) => drip(response, url, (stamp) => `data: ${stamp}\n\n`, 'text/event-stream'),
  trailers: answerWithTrailer,
  status: (_request, response, url) => void response.writeHead(lastNumber(url)).end(),
  never: () => {},
}

/** Starts the upstream on `port`, by default a free one, of loopback. */
export async function startHttpUpstream(port = 0): Promise<HttpUpstream> {
  let openRequestCount = 0
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    openRequestCount++
    response.once('close', () => openRequestCount--)
    serve(request, response).catch(() => response.destroy())
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', echoMessages)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get openRequestCount() {
      return openRequestCount
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** SHA-256 in hex of what `/random/N` answers. */
export function randomPageHash(bytes: number): string {
  const hash = createHash('sha256')
  const nextBlock = pseudoRandomBlocks()
  for (let sent = 0; sent < bytes; sent += BLOCK.length) hash.update(nextBlock().subarray(0, bytes - sent))
  return hash.digest('hex')
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://upstream')
  const page = pages[url.pathname.split('/')[1] ?? '']
  if (page) await page(request, response, url)
  else response.writeHead(404).end()
}

function lastNumber(url: URL): number {
  return Number(url.pathname.split('/').at(-1))
}

async function sendBlocks(response: ServerResponse, bytes: number, nextBlock: () => Buffer): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes })
  for (let left = bytes; left > 0 && !response.destroyed; left -= BLOCK.length) {
    if (!response.write(nextBlock().subarray(0, left))) await drained(response)
  }
  response.end()
}

function pseudoRandomBlocks(): () => Buffer {
  const keystream = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16))
  return () => keystream.update(ZEROS)
}

async function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const events = ['drain', 'close'] as const
  for (const event of events) response.once(event, resolve)
  await promise
  for (const event of events) response.off(event, resolve)
}

async function answerHash(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  sendJson(response, { bytes, sha256: hash.digest('hex') })
}

function describeRequest(request: IncomingMessage, response: ServerResponse): void {
  const { method, url, rawHeaders, headers, httpVersion } = request
  sendJson(response, { method, url, httpVersion, headers, rawHeaders })
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function drip(
  response: ServerResponse,
  url: URL,
  line: (stamp: string) => string,
  type = 'text/plain',
): Promise<void> {
  const { count = '10', interval_ms: intervalMs = '20' } = Object.fromEntries(url.searchParams)
  response.writeHead(200, { 'content-type': url.searchParams.get('type') ?? type, 'cache-control': 'no-cache' })
  for (let sent = 0; sent < Number(count) && !response.destroyed; sent++) {
    response.write(line(String(process.hrtime.bigint())))
    await sleep(Number(intervalMs))
  }
  response.end()
}

function answerWithTrailer(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { trailer: 'x-checksum' })
  response.write('body')
  response.addTrailers({ 'x-checksum': 'abc' })
  response.end()
}

function echoMessages(socket: WebSocket): void {
  socket.on('message', (data, isBinary) => socket.send(data as Buffer, { binary: isBinary }))
}
