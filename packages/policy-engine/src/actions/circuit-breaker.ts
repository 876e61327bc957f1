import { Type } from 'typebox'
import { refusal } from '../run/outcome.ts'
import { type ActionContext, defineAction } from './action.ts'
import { Circuit } from './circuit.ts'
import { parseDuration } from './duration.ts'

const durationMinMs = 1000
const durationMaxMs = 24 * 3600 * 1000

export const circuitBreaker = defineAction({
  type: 'circuit-breaker',
  phases: ['request'],
  summary:
    'Answers 503 with `retry-after` while the upstream fails too often. A failure is an unreachable upstream, a broken connection, or a status of 500 and above. After `tripped_duration` one request probes whether the upstream is back.',
  config: Type.Object(
    {
      error_threshold: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1, default: 0.5, description: 'Share of failures that trips it.' }),
      ),
      volume_threshold: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 2_000_000_000,
          default: 10,
          description: 'Requests in the window below which nothing trips.',
        }),
      ),
      window_duration: Type.Optional(
        Type.String({ default: '10s', description: 'Window that is counted, `1s` to `24h`.' }),
      ),
      tripped_duration: Type.Optional(
        Type.String({ default: '10s', description: 'How long it stays open, `1s` to `24h`.' }),
      ),
      num_buckets: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 128,
          default: 10,
          description: 'Parts of the window that expire one by one.',
        }),
      ),
      enforce: Type.Optional(
        Type.Boolean({ default: true, description: 'False: counts and sets the result variables, refuses nobody.' }),
      ),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Give a struggling upstream a break',
      config: { error_threshold: 0.25, volume_threshold: 20, window_duration: '30s' },
      sample: {},
    },
  ],
  onFailure: 'continue',
  compile(config, context) {
    const { error_threshold: errorThreshold = 0.5, volume_threshold: volumeThreshold = 10, enforce = true } = config
    const { num_buckets: buckets = 10 } = config
    const windowMs = compileDuration(config.window_duration ?? '10s', 'window_duration', context)
    const trippedMs = compileDuration(config.tripped_duration ?? '10s', 'tripped_duration', context)
    const key = `circuit-breaker ${context.rule.path} ${JSON.stringify(config)}`
    const circuit = context.state(
      key,
      () => new Circuit({ errorThreshold, volumeThreshold, windowMs, trippedMs, buckets }),
    )
    return (exchange) => {
      const waitMs = circuit.admit(exchange.now())
      exchange.setResult('circuit_breaker', () => ({ open: waitMs > 0 }))
      if (waitMs > 0 && enforce) return refusal(503, [['retry-after', String(Math.ceil(waitMs / 1000))]])
      exchange.watchUpstream((result) => circuit.report(result === 'failed', exchange.now()))
      return undefined
    }
  },
})

function compileDuration(text: string, field: string, context: ActionContext): number {
  const durationMs = parseDuration(text)
  if (durationMs === undefined) context.refuse([field], 'invalid_duration', `'${text}' is not a duration such as 10s`)
  else if (durationMs < durationMinMs || durationMs > durationMaxMs)
    context.refuse([field], 'out_of_range', `${field} is 1s to 24h`)
  return durationMs ?? durationMinMs
}
