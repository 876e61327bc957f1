import { Type } from 'typebox'
import { described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

/** A TCP address that only this account may use. */
export const reservedAddrModel = defineModel({
  name: 'ReservedAddr',
  title: 'reserved address',
  path: '/reserved_addrs',
  prefix: 'ra',
  listKey: 'reserved_addrs',
  create: { ...described, region: Type.Optional(Type.String()) },
  update: described,
  reply: { ...described, addr: Type.String(), region: Type.String(), endpoint_configuration: Type.Null() },
  fieldErrors: {
    'description:x-maxBytes': 'addr_description_too_long',
    'metadata:x-maxBytes': 'addr_metadata_too_long',
  },
  emptyPatch: 'addr_patch_empty',
  refusals: ['addr_none_free', 'addr_region_unknown', 'addr_taken'],
})
export type ReservedAddr = ReplyOf<typeof reservedAddrModel>
