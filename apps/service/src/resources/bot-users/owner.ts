import { ServiceError, botUserModel } from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import { type Reference, referenceTo } from '../kernel/references.ts'

/** Tells whether the owner of a key or authtoken may use it: people always, bot users while they are active. */
export interface Owners {
  isActive(ownerId: string): Promise<boolean>
}

/** Who will own a new key or authtoken. Only a person may name somebody else, which must be a bot user. */
export function chooseOwner(ownerId: string | undefined, { caller }: Call): string {
  if (ownerId === undefined || ownerId === caller.ownerId) return caller.ownerId
  if (!caller.isAdmin) throw new ServiceError('owner_needs_admin')
  if (isPerson(ownerId)) throw new ServiceError('owner_unknown', { field: 'owner_id', id: ownerId.slice(0, 80) })
  return ownerId
}

/** A bot user cannot be deleted while it owns something. A person is no resource. */
export function ownerReference(ownerId: string): Reference[] {
  return isPerson(ownerId) ? [] : [referenceTo('owner_id', ownerId, [botUserModel], 'owner_unknown')]
}

export function isPerson(ownerId: string): boolean {
  return ownerId.startsWith('usr_')
}

/** Throws for an owner that was set inactive. */
export async function requireActiveOwner(owners: Owners, ownerId: string): Promise<void> {
  if (!(await owners.isActive(ownerId))) throw new ServiceError('owner_inactive', { ownerId })
}
