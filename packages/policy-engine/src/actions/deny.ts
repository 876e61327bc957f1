import { Type } from 'typebox'
import { refusal } from '../run/outcome.ts'
import { defineAction } from './action.ts'

export const deny = defineAction({
  type: 'deny',
  phases: ['request', 'connect'],
  summary:
    'Refuses the request with an empty answer, or closes the connection of a TCP or TLS tunnel. Nothing runs after it.',
  config: Type.Object(
    {
      status_code: Type.Optional(
        Type.Integer({ minimum: 400, maximum: 599, default: 403, description: 'Status of the answer.' }),
      ),
    },
    { additionalProperties: false },
  ),
  examples: [
    {
      title: 'Only reading is allowed',
      expressions: ["!(req.method in ['GET', 'HEAD'])"],
      config: { status_code: 405 },
      sample: { method: 'DELETE', url: 'https://app.example.com/items/1' },
    },
  ],
  onFailure: 'refuse',
  ends: () => true,
  compile({ status_code: status = 403 }, context) {
    if (context.phase !== 'connect') return () => refusal(status)
    if (status !== 403) context.refuse(['status_code'], 'wrong_phase', 'a connection is closed without a status')
    return () => ({ kind: 'close' })
  },
})
