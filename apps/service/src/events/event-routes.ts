import type { ServerResponse } from 'node:http'
import { ServiceError } from '@tunnel/models'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { AccountEvent, AccountEvents } from './account-events.ts'

const streamsPerAccountMax = 20
const keepAliveMs = 15_000
/** A follower that reads slower than this is cut off; it connects again and asks the API for the present state. */
const unreadMaxBytes = 256 * 1024

const AboutQuery = Type.Object({
  about: Type.Optional(Type.String({ maxLength: 64, description: 'Only events of the thing with this id.' })),
})
const recentSchema = {
  summary: 'List what happened lately',
  tags: ['events'],
  querystring: AboutQuery,
  response: {
    200: Type.Object({ events: Type.Array(Type.Unsafe<AccountEvent>({ type: 'object', additionalProperties: true })) }),
  },
}

/**
 * `GET /events`: the account's events as they happen, as server-sent events. `GET /events/recent`: the latest that this
 * service remembers. Additions to the compatible API.
 */
export function eventRoutes(
  app: FastifyInstance,
  events: AccountEvents,
  accountOf: (request: FastifyRequest) => string,
): void {
  const schema = {
    summary: 'Follow the events of the account',
    tags: ['events'],
    response: { 200: { type: 'string' } },
  }
  const open = new Set<ServerResponse>()
  // A stream never ends by itself: without this the server would wait for it when it closes.
  app.addHook('preClose', (done) => {
    for (const response of open) response.destroy()
    done()
  })
  app.get<{ Querystring: Static<typeof AboutQuery> }>('/events/recent', { schema: recentSchema }, (request) => ({
    events: events.recent(accountOf(request), request.query.about),
  }))
  app.get('/events', { schema, config: { isStream: true } }, (request, reply) => {
    const accountId = accountOf(request)
    if (events.followerCount(accountId) >= streamsPerAccountMax) throw new ServiceError('event_streams_exhausted')
    reply.hijack()
    const { raw } = reply
    open.add(raw)
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    const send = (text: string) => {
      raw.write(text)
      if (raw.writableLength > unreadMaxBytes) raw.destroy()
    }
    send(': following\n\n')
    const stop = events.follow(accountId, (event) => send(`id: ${event.event_id}\ndata: ${JSON.stringify(event)}\n\n`))
    const keepAlive = setInterval(() => send(': still here\n\n'), keepAliveMs)
    raw.once('close', () => {
      open.delete(raw)
      clearInterval(keepAlive)
      stop()
    })
  })
}
