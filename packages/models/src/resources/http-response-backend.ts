import { Type } from 'typebox'
import { backendTextErrors } from './backend-texts.ts'
import { TextMap, described, nullable } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

export const responseBodyMaxBytes = 64 * 1024
export const headerNameMaxBytes = 128
export const headerValueMaxBytes = 1024

const settable = {
  ...described,
  body: Type.Optional(Type.String({ 'x-maxBytes': responseBodyMaxBytes })),
  headers: Type.Optional(TextMap),
  status_code: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
}

/** A fixed answer. */
export const httpResponseBackendModel = defineModel({
  name: 'HTTPResponseBackend',
  title: 'HTTP response backend',
  path: '/backends/http_response',
  prefix: 'bkdhr',
  listKey: 'backends',
  create: settable,
  update: settable,
  reply: { ...described, body: Type.String(), headers: nullable(TextMap), status_code: Type.Integer() },
  fieldErrors: {
    ...backendTextErrors,
    'body:x-maxBytes': 'response_body_too_large',
    'status_code:minimum': 'response_status_invalid',
    'status_code:maximum': 'response_status_invalid',
  },
  refusals: ['response_header_name_invalid', 'response_header_value_invalid', 'response_header_of_connection'],
})
export type HttpResponseBackend = ReplyOf<typeof httpResponseBackendModel>
