import { Type } from 'typebox'
import { defineAction } from './action.ts'
import { checkHeaderName } from './header-rules.ts'

export const removeHeaders = defineAction({
  type: 'remove-headers',
  phases: ['request', 'response'],
  summary: 'Removes all values of headers from the request or the response. Names match without regard to case.',
  config: Type.Object(
    { headers: Type.Array(Type.String(), { minItems: 1, maxItems: 10, description: 'Names to remove.' }) },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Hide what the upstream runs on',
      phase: 'response',
      config: { headers: ['server', 'x-powered-by'] },
      sample: { response: { status_code: 200, headers: { Server: 'demo/1.0', 'Content-Type': 'text/plain' } } },
    },
  ],
  onFailure: 'continue',
  compile({ headers }, context) {
    const names = new Set(
      headers.map((name, index) => checkHeaderName(name, ['headers', index], context, ['user-agent', 'host'])),
    )
    return (exchange) => {
      const message = exchange.response ?? exchange.request
      const removed = [...names].filter((name) => message?.headers.remove(name))
      exchange.setResult('remove_headers', () => ({ headers_removed: removed }))
      return undefined
    }
  },
})
