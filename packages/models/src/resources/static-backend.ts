import { Type } from 'typebox'
import { backendTextErrors } from './backend-texts.ts'
import { described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

const Address = Type.String({ 'x-maxBytes': 260, description: 'host:port' })
const TlsInput = Type.Object({ enabled: Type.Optional(Type.Boolean()) }, { additionalProperties: false })
const Tls = Type.Object({ enabled: Type.Boolean() }, { additionalProperties: false })

/** A fixed address that the service itself connects to. */
export const staticBackendModel = defineModel({
  name: 'StaticBackend',
  title: 'static backend',
  path: '/backends/static',
  prefix: 'bkdsc',
  listKey: 'backends',
  create: { ...described, address: Address, tls: Type.Optional(TlsInput) },
  update: { ...described, address: Type.Optional(Address), tls: Type.Optional(TlsInput) },
  reply: { ...described, address: Address, tls: Tls },
  fieldErrors: {
    ...backendTextErrors,
    'address:required': 'static_address_missing',
    'address:x-maxBytes': 'static_address_invalid',
  },
  refusals: ['static_address_invalid'],
})
export type StaticBackend = ReplyOf<typeof staticBackendModel>
