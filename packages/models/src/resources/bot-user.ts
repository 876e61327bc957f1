import { Type } from 'typebox'
import { noControlCharacters } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

const Name = Type.String({ minLength: 1, 'x-maxBytes': 255, pattern: noControlCharacters })

const botUserFields = {
  prefix: 'bot',
  create: { name: Name, active: Type.Optional(Type.Boolean()) },
  update: { name: Type.Optional(Name), active: Type.Optional(Type.Boolean()) },
  reply: { name: Type.String(), active: Type.Boolean() },
  fieldErrors: {
    'name:required': 'bot_user_name_missing',
    'name:minLength': 'bot_user_name_missing',
    'name:x-maxBytes': 'bot_user_name_too_long',
  },
  refusals: ['bot_user_name_taken', 'bot_user_needs_admin'],
} as const

/** An owner of keys and authtokens that is no person. */
export const botUserModel = defineModel({
  ...botUserFields,
  name: 'BotUser',
  title: 'bot user',
  path: '/bot_users',
  listKey: 'bot_users',
})
export type BotUser = ReplyOf<typeof botUserModel>

/** The newer name of the same collection. */
export const serviceUserModel = defineModel({
  ...botUserFields,
  name: 'ServiceUser',
  title: 'service user',
  path: '/service_users',
  listKey: 'service_users',
})
