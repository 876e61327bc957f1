import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { renderError } from './error-renderer.ts'
import { refuseEmptyIds } from './path-ids.ts'

it.each([
  ['/things/x', 200],
  ['/things/', 404],
  ['/pages/x', 200],
  ['/pages/', 200],
])('%s is answered with %i', async (url, status) => {
  await using app = Fastify()
  app.setErrorHandler(renderError)
  app.addHook('onRequest', refuseEmptyIds)
  app.get('/things/:id', () => ({}))
  app.get('/pages/*', () => ({}))
  expect((await app.inject({ url })).statusCode).toBe(status)
})
