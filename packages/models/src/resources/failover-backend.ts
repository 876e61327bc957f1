import { Type } from 'typebox'
import { backendTextErrors } from './backend-texts.ts'
import { described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

export const failoverBackendsMax = 64
const BackendIds = Type.Array(Type.String(), {
  maxItems: failoverBackendsMax,
  examples: [['bkdtg_2RWUhWYxiTp8Fnd3RsCCtWTF8vY', 'bkdhr_2RWUhWYxiTp8Fnd3RsCCtWTF8vY']],
})
const settable = { ...described, backends: Type.Optional(BackendIds) }

/** Tries other backends in their order. */
export const failoverBackendModel = defineModel({
  name: 'FailoverBackend',
  title: 'failover backend',
  path: '/backends/failover',
  prefix: 'bkdfo',
  listKey: 'backends',
  create: settable,
  update: settable,
  reply: { ...described, backends: Type.Array(Type.String()) },
  fieldErrors: { ...backendTextErrors, 'backends:maxItems': 'failover_backends_too_many' },
  refusals: ['backend_id_wrong', 'backend_missing', 'backend_nested_in_failover', 'reference_malformed'],
})
export type FailoverBackend = ReplyOf<typeof failoverBackendModel>
