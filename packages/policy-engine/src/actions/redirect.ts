import { Type } from 'typebox'
import { renderOrNothing } from '../expressions/template.ts'
import { isRequestable } from '../message/url-text.ts'
import { defineAction } from './action.ts'
import { compileHeaders } from './header-rules.ts'
import { compileReplacement } from './url-replacement.ts'

export const redirect = defineAction({
  type: 'redirect',
  phases: ['request'],
  summary:
    'Sends the visitor to another address. `from` is matched against the full address and replaced by `to`; without `from`, `to` is the whole new address. When the address would stay the same, nothing is sent and the rules go on.',
  config: Type.Object(
    {
      from: Type.Optional(Type.String({ description: 'Regular expression (RE2). May contain `${…}`.' })),
      to: Type.String({ description: 'Replacement, with `$1` for groups of `from`. May contain `${…}`.' }),
      status_code: Type.Optional(
        Type.Enum([301, 302, 303, 307, 308], { default: 302, description: 'Status of the answer.' }),
      ),
      headers: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          maxProperties: 10,
          description: 'Headers of the answer. Values may contain `${…}`.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Move a section of the site',
      config: { from: '/blog/([0-9]+)', to: '/posts/$1', status_code: 301 },
      sample: { url: 'https://app.example.com/blog/42?full=1' },
    },
  ],
  onFailure: 'continue',
  compile(config, context) {
    const { status_code: status = 302, headers = {} } = config
    const target = compileReplacement(config, context)
    const templates = compileHeaders(headers, context, ['location'])
    if (config.from === undefined && !/^(?:https?:\/\/|\$\{)/i.test(config.to)) {
      context.refuse(['to'], 'invalid_url', 'without from, to is a whole address that begins with https:// or http://')
    }
    return (exchange) => {
      const { url } = target(exchange)
      if (url === exchange.request?.url) return undefined
      if (!/^https?:\/\//i.test(url) || !isRequestable(url))
        throw new Error('the result is not an http or https address')
      const fields = templates.flatMap(({ name, render }) => {
        const value = renderOrNothing(() => render(exchange.scope))
        return value === undefined ? [] : [[name, value] as const]
      })
      return { kind: 'respond', status, headers: [['location', url], ...fields], body: '', runsResponsePhase: true }
    }
  },
})
