import { text } from 'node:stream/consumers'
import { createManagement } from '../resources/management.ts'
import { openStorage } from '../storage/open-storage.ts'
import { type Command, printResult, requiredOption } from './command.ts'

export const createAccount: Command = {
  name: ['account', 'create'],
  usage: 'account create --email E [--password-stdin] [--json]',
  options: { email: { type: 'string' }, 'password-stdin': { type: 'boolean' }, json: { type: 'boolean' } },
  positionals: 0,
  async run(input) {
    const email = requiredOption(input, 'email')
    const hasPassword = input.values['password-stdin'] === true
    const password = hasPassword ? (await text(input.io.stdin)).replace(/\r?\n$/, '') : null
    await using storage = await openStorage(input.settings)
    const account = await createManagement(storage, input.settings).accounts.create(email, password, Date.now())
    printResult(input, { id: account.id, email: account.email }, [`account ${account.id} for ${account.email}`])
  },
}

export const createApiKey: Command = {
  name: ['api-key', 'create'],
  usage: 'api-key create --account E [--description D] [--json]',
  options: { account: { type: 'string' }, description: { type: 'string' }, json: { type: 'boolean' } },
  positionals: 0,
  async run(input) {
    const emailOrId = requiredOption(input, 'account')
    const { description } = input.values
    await using storage = await openStorage(input.settings)
    const { accounts, resources } = createManagement(storage, input.settings)
    const account = await accounts.get(emailOrId)
    const caller = { accountId: account.id, apiKeyId: null, ownerId: account.userId, isAdmin: true }
    const body = typeof description === 'string' && description !== '' ? { description } : {}
    const { id, token } = await resources.apiKeys.create(body, { caller, baseUrl: '', now: Date.now() })
    printResult(input, { id, token }, [`API key ${id}; its token is shown this once:`, token ?? ''])
  },
}
