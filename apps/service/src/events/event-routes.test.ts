import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { afterEach, expect, it } from 'vitest'
import { renderError } from '../api/error-renderer.ts'
import { AccountEvents } from './account-events.ts'
import { eventRoutes } from './event-routes.ts'
import { changePublisher } from './publish-changes.ts'

const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function serve(events: AccountEvents): Promise<number> {
  const app = Fastify()
  app.setErrorHandler(renderError)
  eventRoutes(app, events, (request) => String(request.headers['x-account']))
  await app.listen({ port: 0, host: '127.0.0.1' })
  closers.push(() => app.close())
  return (app.server.address() as AddressInfo).port
}

/** Follows as `account` and resolves with everything received until `pattern` matches. */
function follow(port: number, account: string) {
  let received = ''
  let onText: () => void = () => undefined
  const status = new Promise<number>((resolve) => {
    const request = get({ port, path: '/events', headers: { 'x-account': account } }, (response) => {
      resolve(response.statusCode ?? 0)
      response.on('data', (chunk: Buffer) => {
        received += String(chunk)
        onText()
      })
      response.on('error', () => undefined)
    })
    closers.push(() => void request.destroy())
  })
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      onText = () => pattern.test(received) && resolve(received)
      onText()
    })
  return { status, until }
}

const newEvents = () =>
  new AccountEvents(
    (prefix) => `${prefix}_1`,
    () => Date.UTC(2030, 0, 1),
  )

it('sends an account its own events and nothing of another account', async () => {
  const events = newEvents()
  const publish = changePublisher(events, [
    { prefix: 'ipp', title: 'IP policy' },
    { prefix: 'ipp', title: 'the same by another name' },
  ])
  const follower = follow(await serve(events), 'ac_1')
  await follower.until(/following/)
  publish({ kind: 'ipp', id: 'ipp_other', accountId: 'ac_2', change: 'created' })
  publish({ kind: 'ipp', id: 'ipp_1', accountId: 'ac_1', change: 'created' })
  const text = await follower.until(/data: /)
  expect(text).not.toContain('ipp_other')
  expect(JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '')).toEqual({
    event_id: 'ev_1',
    event_type: 'ip_policy_created.v0',
    event_timestamp: '2030-01-01T00:00:00.000Z',
    account_id: 'ac_1',
    object: { id: 'ipp_1' },
  })
})

it('refuses more streams than an account may have, and forgets streams that ended', async () => {
  const events = newEvents()
  const port = await serve(events)
  const followers = Array.from({ length: 20 }, () => follow(port, 'ac_1'))
  await Promise.all(followers.map((one) => one.until(/following/)))
  expect(await follow(port, 'ac_1').status).toBe(429)
  expect(await follow(port, 'ac_2').status).toBe(200)
})

it('remembers the latest events of each account, also without a follower', async () => {
  const events = newEvents()
  const port = await serve(events)
  const recent = async (account: string, query = '') => {
    const reply = await fetch(`http://127.0.0.1:${port}/events/recent${query}`, { headers: { 'x-account': account } })
    const { events: found } = (await reply.json()) as { events: { event_type: string; object: { id: string } }[] }
    return found.map(({ event_type: type, object }) => `${type} ${object.id}`)
  }
  events.publish('ac_1', 'tunnel_session_started', { id: 'ts_1' })
  events.publish('ac_1', 'tunnel_started', { id: 'tn_1', tunnel_session: { id: 'ts_1' } })
  events.publish('ac_1', 'tunnel_session_started', { id: 'ts_2' })
  events.publishInPassing('ac_1', 'traffic_sampled', { requests: 1 })
  expect(await recent('ac_1', '?about=ts_1')).toEqual(['tunnel_started.v0 tn_1', 'tunnel_session_started.v0 ts_1'])
  expect(await recent('ac_1')).toHaveLength(3)
  expect(await recent('ac_2', '?about=ts_1')).toEqual([])
})

it('forgets the oldest events of an account, and the account that was quiet for the longest time', () => {
  const events = newEvents()
  events.publish('quiet', 'bot_user_created', { id: 'bot_1' })
  for (let index = 0; index < 5_000; index++) events.publish('busy', 'bot_user_created', { id: `bot_${index}` })
  expect(events.recent('quiet')).toHaveLength(1)
  expect(events.recent('busy').length).toBeLessThanOrEqual(1000)
  expect(events.recent('busy')[0]?.object).toEqual({ id: 'bot_4999' })
  for (let index = 0; index < 100; index++) events.publish(`ac_${index}`, 'bot_user_created', { id: 'bot_1' })
  expect(events.recent('quiet')).toEqual([])
})
