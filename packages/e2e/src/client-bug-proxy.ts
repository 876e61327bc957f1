import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * Stands between the published client of the hosted product and the service, and repairs only what that client does
 * wrong on every server: it asks for later pages with `beforeId`, wraps a module into `{module}`, and reads JSON from the
 * empty body of a 204. Everything else passes untouched.
 */
export async function startClientBugProxy(apiUrl: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    void forward(apiUrl, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function forward(apiUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const body = await text(request)
  const { host: _host, connection: _connection, 'content-length': _length, ...passed } = headers
  const answer = await fetch(apiUrl + url.replace('beforeId=', 'before_id='), {
    method,
    headers: passed as Record<string, string>,
    ...(body === '' ? {} : { body: method === 'PUT' ? bareModule(body) : body }),
    signal: AbortSignal.timeout(10_000),
  })
  const reply = Buffer.from(await answer.arrayBuffer())
  if (answer.status !== 204) {
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(reply)
    return
  }
  if (reply.length > 0) throw new Error('A 204 came with a body.')
  response.writeHead(200, { 'content-type': 'application/json' }).end('null')
}

function bareModule(body: string): string {
  const { module } = JSON.parse(body) as { module?: unknown }
  return module === undefined ? body : JSON.stringify(module)
}
