import { Type } from 'typebox'
import { renderOrNothing } from '../expressions/template.ts'
import { defineAction } from './action.ts'
import { compileHeaders } from './header-rules.ts'

export const addHeaders = defineAction({
  type: 'add-headers',
  phases: ['request', 'response'],
  summary:
    'Adds headers to the request before the upstream sees it, or to the response before the visitor does. A header that is there already gets another value; `host` is replaced.',
  config: Type.Object(
    {
      headers: Type.Record(Type.String(), Type.String(), {
        minProperties: 1,
        maxProperties: 10,
        description: 'Names and values to add. Values may contain `${…}`.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Tell the upstream who is calling',
      config: { headers: { 'x-visitor-ip': '${conn.client_ip}', 'is-tunnel': '1' } },
      sample: { client_ip: '203.0.113.7' },
    },
  ],
  onFailure: 'continue',
  compile({ headers }, context) {
    const templates = compileHeaders(headers, context, ['user-agent'])
    return (exchange) => {
      const message = exchange.response ?? exchange.request
      const added: Record<string, string> = {}
      const failed: string[] = []
      for (const { name, render } of templates) {
        const value = renderOrNothing(() => render(exchange.scope))
        if (value !== undefined && message?.headers.add(name, value) === true) added[name] = value
        else failed.push(name)
      }
      exchange.setResult('add_headers', () => ({ headers_added: added }))
      if (failed.length > 0) throw new Error(`no valid value, or no room, for ${failed.join(', ')}`)
      return undefined
    }
  },
})
