import { ServiceError } from '@tunnel/models'
import type { AddressFilter } from './edge-route.ts'

/** Throws `address_refused`. */
export function requireAllowed(filter: AddressFilter | null, address: string): void {
  if (filter !== null && !filter.isAllowed(address)) throw new ServiceError('address_refused', { address })
}
