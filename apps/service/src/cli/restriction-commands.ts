import { createManagement } from '../resources/management.ts'
import { openStorage } from '../storage/open-storage.ts'
import { type Command, printResult, requiredOption } from './command.ts'

/** The way back in for an account whose restrictions let nobody in any more; also while the service runs. */
export const releaseRestrictions: Command = {
  name: ['ip-restriction', 'release'],
  usage: 'ip-restriction release --account E [--json]',
  options: { account: { type: 'string' }, json: { type: 'boolean' } },
  positionals: 0,
  async run(input) {
    await using storage = await openStorage(input.settings)
    const { accounts, resources } = createManagement(storage, input.settings)
    const account = await accounts.get(requiredOption(input, 'account'))
    const caller = { accountId: account.id, apiKeyId: null, ownerId: account.userId, isAdmin: true }
    const call = { caller, baseUrl: '', now: Date.now() }
    const all = (await resources.ipRestrictions.all()).filter(({ accountId }) => accountId === account.id)
    const released = all.filter(({ body }) => body.enforced)
    for (const { id } of released) await resources.ipRestrictions.update(id, { enforced: false }, call)
    const types = released.map(({ body }) => body.type)
    printResult(input, { released: types }, [
      types.length === 0 ? 'no restriction is enforced' : `not enforced any more: ${types.join(', ')}`,
    ])
  },
}
