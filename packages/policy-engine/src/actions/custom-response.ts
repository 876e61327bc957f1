import { Type } from 'typebox'
import { renderOrNothing } from '../expressions/template.ts'
import { defineAction } from './action.ts'
import { compileHeaders } from './header-rules.ts'

const bodyMaxChars = 256 * 1024
const statusesWithoutBody = [204, 205, 304]

export const customResponse = defineAction({
  type: 'custom-response',
  phases: ['request', 'response'],
  summary:
    'Answers in place of the upstream. In the request phase the upstream never sees the request, and the response rules still run; in the response phase the answer replaces the one of the upstream.',
  config: Type.Object(
    {
      status_code: Type.Optional(
        Type.Integer({ minimum: 200, maximum: 599, default: 200, description: 'Status of the answer.' }),
      ),
      body: Type.Optional(
        Type.String({ maxLength: bodyMaxChars, description: 'Body of the answer. May contain `${…}`.' }),
      ),
      content: Type.Optional(Type.String({ maxLength: bodyMaxChars, description: 'Older name of `body`.' })),
      headers: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          maxProperties: 10,
          description: 'Headers of the answer. Values may contain `${…}`. Without `content-type`, the body decides.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'A maintenance page',
      expressions: ["req.url.path.startsWith('/shop')"],
      config: {
        status_code: 503,
        headers: { 'retry-after': '120' },
        body: '<h1>Back soon</h1> ${req.method} ${req.url.path}',
      },
      sample: { url: 'https://app.example.com/shop/cart' },
    },
  ],
  onFailure: 'refuse',
  ends: () => true,
  compile(config, context) {
    const { status_code: status = 200, headers = {} } = config
    const text = config.body ?? config.content ?? ''
    if (config.body !== undefined && config.content !== undefined)
      context.refuse(['content'], 'conflicting_fields', 'content is the older name of body: use body')
    if (config.content !== undefined) context.warn(['content'], 'legacy_name', 'content is now body')
    if (text !== '' && statusesWithoutBody.includes(status))
      context.refuse(['body'], 'conflicting_fields', `an answer with status ${status} has no body`)
    const body = context.template([config.content === undefined ? 'body' : 'content'], text)
    const templates = compileHeaders(headers, context)
    return (exchange) => {
      const rendered = renderOrNothing(() => body.render(exchange.scope)) ?? ''
      const fields = templates.flatMap(({ name, render }) => {
        const value = renderOrNothing(() => render(exchange.scope))
        return value === undefined ? [] : [[name, value] as const]
      })
      return {
        kind: 'respond',
        status,
        headers: withDefaults(fields, rendered),
        body: rendered,
        runsResponsePhase: exchange.response === undefined,
      }
    }
  },
})

function withDefaults(fields: readonly (readonly [string, string])[], body: string): (readonly [string, string])[] {
  const isSet = (name: string): boolean => fields.some(([field]) => field === name)
  const defaults: [string, string][] = []
  if (body !== '' && !isSet('content-type')) defaults.push(['content-type', guessMediaType(body)])
  if (!isSet('x-content-type-options')) defaults.push(['x-content-type-options', 'nosniff'])
  return [...fields, ...defaults]
}

function guessMediaType(body: string): string {
  if (body.trimStart().startsWith('<')) return 'text/html; charset=utf-8'
  return isJson(body) ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8'
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
