import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import type { Caller } from './caller.ts'
import { renderError } from './error-renderer.ts'
import { limitInFlight } from './load-limits.ts'

const requestsMax = 3
const moreThanBuffersHold = 'x'.repeat(16 * 1024 * 1024)

it('counts requests while they run, and neither what is refused nor who reads slowly', async () => {
  await using app = Fastify({ forceCloseConnections: true })
  app.setErrorHandler(renderError)
  limitInFlight(app, { requestsMax, perAccountMax: requestsMax })
  const gate = Promise.withResolvers<string>()
  app.get('/waits', () => gate.promise)
  app.get('/large', () => moreThanBuffersHold)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const statusOf = async (url: string) => (await app.inject({ url })).statusCode

  const lazy = Array.from({ length: requestsMax }, () => connect(port, '127.0.0.1').pause())
  for (const socket of lazy) socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n')
  await Promise.all(lazy.map((socket) => once(socket, 'readable')))
  const waiting = Array.from({ length: requestsMax }, () => statusOf('/waits'))
  expect(await statusOf('/waits')).toBe(429)
  gate.resolve('done')
  expect(await Promise.all(waiting)).toEqual([200, 200, 200])
  expect(await statusOf('/waits')).toBe(200)
  for (const socket of lazy) socket.destroy()
})

it('keeps a share for other accounts when one runs all that it may', async () => {
  await using app = Fastify()
  app.setErrorHandler(renderError)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    request.caller = { accountId: request.headers['x-account'] } as Caller
  })
  limitInFlight(app, { requestsMax, perAccountMax: 2 })
  const gate = Promise.withResolvers<string>()
  app.get('/waits', () => gate.promise)
  const asked = async (account: string) => await app.inject({ url: '/waits', headers: { 'x-account': account } })

  const greedy = [asked('a'), asked('a')]
  expect((await asked('a')).json()).toMatchObject({ error_code: 'ERR_SERVICE_225' })
  const other = asked('b')
  gate.resolve('done')
  for (const answer of await Promise.all([...greedy, other])) expect(answer.statusCode).toBe(200)
  expect((await asked('a')).statusCode).toBe(200)
})
