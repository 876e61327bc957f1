import { isCelError } from '@bufbuild/cel'
import { Type } from 'typebox'
import type { Expression } from '../expressions/expression.ts'
import { renderText } from '../expressions/json-values.ts'
import { refusal } from '../run/outcome.ts'
import type { PolicyExchange } from '../run/policy-exchange.ts'
import { defineAction } from './action.ts'
import { parseDuration } from './duration.ts'
import { SlidingWindow } from './sliding-window.ts'

const rateMinMs = 60_000
const rateMaxMs = 24 * 3_600_000
const rateStepMs = 10_000

export const rateLimit = defineAction({
  type: 'rate-limit',
  phases: ['request'],
  summary:
    'Answers 429 with `retry-after` when a key made more than `capacity` requests in the last `rate`. Each combination of the values of `bucket_key` is counted for itself, in each process of the service.',
  config: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 1023, description: 'A label of the limit.' }),
      algorithm: Type.Enum(['sliding_window'], { description: 'How is counted.' }),
      capacity: Type.Integer({ minimum: 1, maximum: 2_000_000_000, description: 'Requests in the window.' }),
      rate: Type.String({ description: 'Length of the window, `60s` to `24h`, in steps of ten seconds.' }),
      bucket_key: Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 10,
        description: 'Expressions whose values together are the key.',
      }),
      enforce: Type.Optional(
        Type.Boolean({ default: true, description: 'False: counts and sets the result variables, refuses nobody.' }),
      ),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Thirty requests a minute from each address',
      config: {
        name: 'per address',
        algorithm: 'sliding_window',
        capacity: 30,
        rate: '60s',
        bucket_key: ['conn.client_ip'],
      },
      sample: { client_ip: '203.0.113.7' },
    },
  ],
  onFailure: 'continue',
  compile(config, context) {
    const { capacity, rate, bucket_key: keys, enforce = true } = config
    const windowMs = parseDuration(rate)
    if (windowMs === undefined)
      context.refuse(['rate'], 'invalid_duration', `'${rate}' is not a duration such as 60s or 1h`)
    else if (windowMs < rateMinMs || windowMs > rateMaxMs || windowMs % rateStepMs !== 0) {
      context.refuse(['rate'], 'out_of_range', 'rate is 60s to 24h, a multiple of 10s')
    }
    const parts = keys.map((text, index) => context.expression(['bucket_key', index], text))
    const window = context.state(
      `rate-limit ${JSON.stringify(config)}`,
      () => new SlidingWindow(capacity, windowMs ?? rateMinMs),
    )
    return (exchange) => {
      const key = bucketKey(parts, exchange)
      const waitMs = window.take(key, exchange.now())
      exchange.setResult('rate_limit', () => ({ bucket_key: key, limited: waitMs > 0 }))
      return waitMs > 0 && enforce ? refusal(429, [['retry-after', String(Math.ceil(waitMs / 1000))]]) : undefined
    }
  },
})

/** Parts carry their length, so that no two combinations look alike. A failing part counts as empty: it skips no limit. */
function bucketKey(parts: readonly (Expression | undefined)[], { scope }: PolicyExchange): string {
  let key = ''
  for (const part of parts) {
    const value = part?.evaluate(scope)
    const text = value === undefined || isCelError(value) ? '' : renderText(value)
    key += `${text.length}:${text};`
  }
  return key
}
