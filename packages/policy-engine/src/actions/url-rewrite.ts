import { Type } from 'typebox'
import { defineAction } from './action.ts'
import { compileReplacement } from './url-replacement.ts'

export const urlRewrite = defineAction({
  type: 'url-rewrite',
  phases: ['request'],
  summary:
    'Changes the address that the upstream sees. All matches of `from` in the full address are replaced. A new host changes the `Host` header, never the tunnel that serves the request.',
  config: Type.Object(
    {
      from: Type.Optional(Type.String({ description: 'Regular expression (RE2). May contain `${…}`.' })),
      to: Type.String({ description: 'Replacement, with `$1` for groups of `from`. May contain `${…}`.' }),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Take a prefix off',
      config: { from: '(https?://[^/]+)/api/v1/', to: '$1/' },
      sample: { url: 'https://app.example.com/api/v1/users?page=2' },
    },
  ],
  onFailure: 'continue',
  compile(config, context) {
    const target = compileReplacement(config, context)
    return (exchange) => {
      const { request } = exchange
      const { url, matches } = target(exchange)
      if (!request || url === request.url) return undefined
      const { authority } = request.parts
      if (!request.rewrite(url)) throw new Error('the result is not an http or https address')
      if (request.parts.authority !== authority) request.headers.set('host', request.parts.authority)
      exchange.setResult('url_rewrite', () => ({ url, matches }))
      return undefined
    }
  },
})
