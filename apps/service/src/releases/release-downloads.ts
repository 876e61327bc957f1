import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { releasePlaces } from '@tunnel/agent-release'

type Request = IncomingMessage | Http2ServerRequest

// Nothing else of the directory, and nothing outside it, can be named.
const offered = /^(?:[a-z][a-z0-9-]{0,31}\/\d{1,6}\.json|bundles\/[0-9a-f]{64}\.mjs)$/

/** Answers true when the request was for a release, also for one that does not exist. */
export type ReleaseDownloads = (request: Request, response: ServerResponse | Http2ServerResponse) => boolean

/** Hands signed releases to whoever asks: they are no secret, and agents check the signatures. */
export function createReleaseDownloads(directory: string): ReleaseDownloads {
  return (request, anyResponse) => {
    // Both kinds answer alike; their types do not say so.
    const response = anyResponse as ServerResponse
    const path = (request.url ?? '').split('?')[0] ?? ''
    if (!path.startsWith(`${releasePlaces.root}/`)) return false
    const place = path.slice(releasePlaces.root.length + 1)
    if (request.method !== 'GET' || !offered.test(place)) answer(response, 404, {})
    else send(join(directory, place), request, response).catch(() => response.destroy())
    return true
  }
}

async function send(path: string, request: Request, response: ServerResponse): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => null,
  )
  if (size === null) return answer(response, 404, {})
  const start = rangeStart(request.headers.range)
  if (start >= size) return answer(response, 416, { 'content-range': `bytes */${size}` })
  const type = path.endsWith('.json') ? 'application/json' : 'text/javascript'
  const partial = { 'content-range': `bytes ${start}-${size - 1}/${size}` }
  const headers = {
    'content-type': type,
    'content-length': size - start,
    'cache-control': 'no-cache',
    ...(start > 0 && partial),
  }
  response.writeHead(start > 0 ? 206 : 200, headers)
  await pipeline(createReadStream(path, { start }), response)
}

/** Only "from here to the end" is of use to a download that goes on; other ranges get the whole file. */
function rangeStart(range: string | undefined): number {
  return Number(/^bytes=(\d{1,12})-$/.exec(range ?? '')?.[1] ?? 0)
}

function answer(response: ServerResponse, status: number, headers: Record<string, string>): void {
  response.writeHead(status, headers).end()
}
