import { type BotUser, ServiceError, botUserModel } from '@tunnel/models'
import { defineResource } from '../kernel/definition.ts'

type BotUserBody = Pick<BotUser, 'name' | 'active'>

export const botUsers = defineResource<typeof botUserModel, BotUserBody>({
  model: botUserModel,
  checkCaller: ({ caller }) => {
    if (!caller.isAdmin) throw new ServiceError('bot_user_needs_admin')
  },
  create: ({ name, active = true }) => ({ body: { name, active } }),
  uniqueKeys: ({ name }, accountId) => [
    { name: 'bot_user_name', value: `${accountId} ${name}`, shown: name, taken: 'bot_user_name_taken' },
  ],
  reply: ({ body }) => body,
})
