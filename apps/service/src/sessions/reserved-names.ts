import { ServiceError } from '@tunnel/models'
import type { NameAuthority } from './zone-names.ts'

/** Knows what is set aside for somebody. */
export interface NameReservations {
  /** The account that owns the name, by itself or by a wildcard above it. */
  ownerOf(name: string): Promise<string | undefined>
  /** Whether an edge publishes under the name. */
  isHeldByEdge(name: string): boolean
}

/** A reserved name is its owner's; the others are free as `freeNames` says. A wildcard must always be reserved. */
export function reservedNames(reservations: NameReservations, freeNames: NameAuthority, zone: string): NameAuthority {
  return {
    async authorise(accountId, name) {
      if (reservations.isHeldByEdge(name)) throw new ServiceError('bind_name_held_by_edge', { name })
      const owner = await reservations.ownerOf(name)
      if (owner === accountId) return
      if (owner !== undefined || name.startsWith('*.')) throw new ServiceError('bind_name_not_reserved', { name, zone })
      await freeNames.authorise(accountId, name)
    },
  }
}
