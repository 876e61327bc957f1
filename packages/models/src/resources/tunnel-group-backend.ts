import { Type } from 'typebox'
import { backendTextErrors } from './backend-texts.ts'
import { Ref, TextMap, described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

export const labelsMax = 50
export const labelKeyMaxBytes = 255
export const labelValueMaxBytes = 255

const settable = { ...described, labels: Type.Optional(TextMap) }

/** All tunnels online whose labels contain every label of the group. */
export const tunnelGroupBackendModel = defineModel({
  name: 'TunnelGroupBackend',
  title: 'tunnel group backend',
  path: '/backends/tunnel_group',
  prefix: 'bkdtg',
  listKey: 'backends',
  create: settable,
  update: settable,
  reply: { ...described, labels: TextMap, tunnels: Type.Array(Ref) },
  fieldErrors: backendTextErrors,
  refusals: ['label_key_length', 'label_value_length', 'label_with_equals', 'labels_too_many'],
})
export type TunnelGroupBackend = ReplyOf<typeof tunnelGroupBackendModel>
