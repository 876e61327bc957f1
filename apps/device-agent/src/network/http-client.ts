import { type FileHandle, open, stat } from 'node:fs/promises'
import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure, type RequestOptions } from 'node:https'
import { addAbortSignal } from 'node:stream'
import { lookup } from './lookup.ts'
import { httpsAgentFor, type ProxyConfig } from './proxy.ts'
import type { Trust } from './trust.ts'

export interface HttpRoute {
  readonly proxy: ProxyConfig | null
  readonly trust: Trust
}

/** The other side did not answer as it should. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly statusCode: number

  constructor(statusCode: number) {
    super(`HTTP ${statusCode}`)
    this.statusCode = statusCode
  }
}

const answerTimeoutMs = 8000
const textTimeoutMs = 8000
/** A file may take its time over a bad line, as long as it grows; but not so long that no other update can begin. */
const stallTimeoutMs = 30_000
const fileTimeoutMs = 3_600_000

/** A small text. @throws HttpError, Error of the network, RangeError when it is over `maxBytes` */
export async function fetchText(url: URL, maxBytes: number, route: HttpRoute): Promise<string> {
  const response = await request(url, {}, route)
  if (response.statusCode !== 200) throw refuse(response)
  addAbortSignal(AbortSignal.timeout(textTimeoutMs), response)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Whether anything answers there, however it does. */
export async function isAnswering(url: URL, route: HttpRoute): Promise<boolean> {
  try {
    const response = await request(url, {}, route)
    response.destroy()
    return true
  } catch {
    return false
  }
}

/** Fetches `sizeBytes` into a file, going on where an earlier try has stopped; settles when they are on the disk. */
export async function fetchFile(url: URL, path: string, sizeBytes: number, route: HttpRoute): Promise<void> {
  const present = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  if (present === sizeBytes) return
  const start = present < sizeBytes ? present : 0
  const response = await request(url, start > 0 ? { range: `bytes=${start}-` } : {}, route)
  if (response.statusCode !== 200 && response.statusCode !== 206) throw refuse(response)
  const isResumed = response.statusCode === 206 && response.headers['content-range']?.startsWith(`bytes ${start}-`)
  addAbortSignal(AbortSignal.timeout(fileTimeoutMs), response)
  response.setTimeout(stallTimeoutMs, () => response.destroy(new Error('the download stalled')))
  const file = await open(path, isResumed ? 'a' : 'w', 0o600)
  try {
    await receive(response, file, sizeBytes - (isResumed ? start : 0))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Piece by piece, so that a transfer that breaks off leaves what it has brought. */
async function receive(chunks: AsyncIterable<Buffer>, file: FileHandle, maxBytes: number): Promise<void> {
  let left = maxBytes
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left < 0) throw new RangeError('more bytes than announced')
    await file.write(chunk)
  }
}

function request(url: URL, headers: Record<string, string>, { proxy, trust }: HttpRoute): Promise<IncomingMessage> {
  return trust.secureContext().then(
    (secureContext) =>
      new Promise((resolve, reject) => {
        const options: RequestOptions = { headers, lookup }
        const isTls = url.protocol === 'https:'
        const secure = {
          agent: httpsAgentFor(url.hostname, Number(url.port || 443), proxy),
          ...(secureContext && { secureContext }),
        }
        const outgoing = isTls ? getSecure(url, { ...options, ...secure }, resolve) : getPlain(url, options, resolve)
        const limit = setTimeout(() => outgoing.destroy(new Error('no answer in time')), answerTimeoutMs)
        for (const event of ['response', 'close']) outgoing.once(event, () => clearTimeout(limit))
        outgoing.on('error', reject)
      }),
  )
}

function refuse(response: IncomingMessage): HttpError {
  response.destroy()
  return new HttpError(response.statusCode ?? 0)
}
