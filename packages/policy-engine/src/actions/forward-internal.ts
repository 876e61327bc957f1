import { Type } from 'typebox'
import { defineAction } from './action.ts'

const addressForm = /^https?:\/\/[\w.-]+(?::\d{1,5})?$/i

export const forwardInternal = defineAction({
  type: 'forward-internal',
  phases: ['request', 'connect'],
  summary:
    'Hands the request to another HTTP tunnel of the same account. The `Host` header stays the public one. With `on_error: continue` the rules go on when the target is not online.',
  config: Type.Object(
    {
      url: Type.String({ description: 'Public address of the target tunnel, without a path. May contain `${…}`.' }),
      on_error: Type.Optional(
        Type.Enum(['halt', 'continue'], {
          default: 'halt',
          description: 'What happens when the target is not online.',
        }),
      ),
      binding: Type.Optional(Type.String({ description: 'Accepted for compatibility; has no effect.' })),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Another program serves the API',
      expressions: ["req.url.path.startsWith('/api/')"],
      config: { url: 'https://api.example.com' },
      sample: { url: 'https://app.example.com/api/users' },
    },
  ],
  onFailure: 'refuse',
  ends: ({ on_error: onError }) => onError !== 'continue',
  compile({ url, on_error: onError = 'halt' }, context) {
    const target = context.template(['url'], url)
    const isAddress = (text: string): boolean => addressForm.test(text) && URL.canParse(text)
    if (context.protocol !== 'http')
      context.refuse(
        [],
        'action_unavailable',
        `forwarding a ${context.protocol} connection is not available on this server`,
      )
    else if (target.isLiteral && !isAddress(url.replace(/\/$/, '')))
      context.refuse(['url'], 'invalid_url', 'a tunnel is forwarded to an address such as https://name')
    return (exchange) => {
      const address = target.render(exchange.scope).replace(/\/$/, '')
      if (!isAddress(address)) throw new Error('the result is not the address of a tunnel of this kind')
      exchange.setResult('forward_internal', () => ({ url: address }))
      const isSkipped = onError === 'continue' && exchange.facts.canForwardTo?.(address) === false
      return isSkipped ? undefined : { kind: 'forward', url: address }
    }
  },
})
