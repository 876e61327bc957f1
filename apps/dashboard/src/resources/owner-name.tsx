import { api } from '../api/client.ts'
import { useListing } from '../api/queries.ts'

/** Who owns a key: a bot user by its name, or the holder of the account. */
export function OwnerName({ id }: { readonly id: string | null | undefined }) {
  const { data } = useListing(api.botUsers)
  if (!id?.startsWith('bot_')) return 'account holder'
  return data === undefined ? '…' : (data.find((bot) => bot.id === id)?.name ?? id)
}
