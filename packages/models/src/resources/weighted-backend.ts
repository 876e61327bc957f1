import { Type } from 'typebox'
import { backendTextErrors } from './backend-texts.ts'
import { described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

export const weightedBackendsMax = 64
const Weight = Type.Integer({ minimum: 0, maximum: 10_000 })
const Weights = Type.Record(Type.String(), Weight, {
  examples: [{ bkdtg_2RWUhWYxiTp8Fnd3RsCCtWTF8vY: 9, bkdhr_2RWUhWYxiTp8Fnd3RsCCtWTF8vY: 1 }],
})
const settable = { ...described, backends: Type.Optional(Weights) }

/** Spreads requests over other backends by weight. */
export const weightedBackendModel = defineModel({
  name: 'WeightedBackend',
  title: 'weighted backend',
  path: '/backends/weighted',
  prefix: 'bkdwd',
  listKey: 'backends',
  create: settable,
  update: settable,
  reply: { ...described, backends: Weights },
  fieldErrors: backendTextErrors,
  refusals: [
    'backend_id_wrong',
    'backend_missing',
    'backend_nested_in_weighted',
    'reference_malformed',
    'weighted_backends_too_many',
  ],
})
export type WeightedBackend = ReplyOf<typeof weightedBackendModel>
