import { createHash } from 'node:crypto'
import { errorDefinitions } from '@tunnel/models'
import { afterAll, expect, it } from 'vitest'
import { startTestApi } from './api-harness.ts'

const api = await startTestApi()
const page = await api.app.inject({ url: '/docs/errors' })
afterAll(() => api[Symbol.asyncDispose]())

it('every code leads to its own place on the page, which needs no key', () => {
  expect(page.statusCode).toBe(200)
  const codes = Object.values(errorDefinitions).flatMap(({ code }) => (code === null ? [] : [code]))
  const anchors = Array.from(page.body.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
  const expected = codes.flatMap((code) => [`err_service_${code}`, String(code)])
  expect(new Set(anchors)).toEqual(new Set(expected))
  expect(anchors.length).toBe(expected.length)
})

it('the page shows texts as texts, and runs and loads nothing', () => {
  expect(page.body).toContain('&quot;Authorization: Bearer API_KEY&quot;')
  expect(page.body).not.toMatch(/<script|<img|src=|href="(?!#)/)
  const style = /<style>([^]*)<\/style>/.exec(page.body)?.[1] ?? ''
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`)
})
