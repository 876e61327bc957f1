import { useListing } from '../api/queries.ts'
import { anyBackend } from './any-backend.ts'

interface Props {
  readonly ids: readonly string[]
  /** What to say behind a name. */
  readonly note?: (id: string) => string
}

/** Backends by the names that people gave them. */
export function BackendNames({ ids, note = () => '' }: Props) {
  const { data } = useListing(anyBackend)
  if (data === undefined) return '…'
  const names = new Map(data.map(({ id, description }) => [id, description || id]))
  return ids.map((id) => `${names.get(id) ?? id}${note(id)}`).join(', ')
}
