import { ServiceError } from '@tunnel/models'
import type { Records } from '../../storage/records.ts'
import { coveringWildcards, reservationKey, reservationKeyName } from '../domain-names/reservation.ts'
import type { UniqueRule } from '../kernel/definition.ts'
import { addrKeyName } from '../reserved-addrs/reserved-addrs.ts'

/** The public names of an edge, and the reservations that allow them. */
export interface ReservedHostports {
  readonly hostports: readonly string[] | null
  /** Cannot be deleted while the edge uses them. */
  readonly reservation_ids: readonly string[]
}

export const noHostports: ReservedHostports = { hostports: null, reservation_ids: [] }

/** Finds which reservation of the account allows a name. Throws `ServiceError` when none does. */
export type HostportReader = (hostport: string, accountId: string) => Promise<string>

/** `name:443`, where the account has reserved the name or a wildcard above it. */
export function domainHostports(records: Records): HostportReader {
  return async (hostport, accountId) => {
    const [, name = '', port = ''] = /^([^:]+):(\d{1,5})$/.exec(hostport) ?? []
    if (name === '') throw new ServiceError('hostport_invalid', { hostport: hostport.slice(0, 80) })
    if (port !== '443') throw new ServiceError('hostport_port_not_443', { hostport })
    const reservation = await domainReservation(records, name, accountId)
    if (reservation === undefined) throw new ServiceError('hostport_not_reserved', { hostport })
    return reservation
  }
}

/** The account's reservation of a name, or of the nearest wildcard above it. */
export async function domainReservation(
  records: Records,
  name: string,
  accountId: string,
): Promise<string | undefined> {
  for (const domain of [name, ...coveringWildcards(name)]) {
    const holder = await records.holderOf({ name: reservationKeyName, value: reservationKey(domain) })
    if (holder?.accountId === accountId) return holder.id
  }
  return undefined
}

/** The address of a reservation, as `host:port`. */
export function addrHostports(records: Records): HostportReader {
  return async (hostport, accountId) => {
    if (!/^[^:]+:\d{1,5}$/.test(hostport))
      throw new ServiceError('hostport_invalid', { hostport: hostport.slice(0, 80) })
    const reservation = await addrReservation(records, hostport, accountId)
    if (reservation === undefined) throw new ServiceError('hostport_not_reserved', { hostport })
    return reservation
  }
}

export async function addrReservation(
  records: Records,
  hostport: string,
  accountId: string,
): Promise<string | undefined> {
  const holder = await records.holderOf({ name: addrKeyName, value: hostport })
  return holder?.accountId === accountId ? holder.id : undefined
}

/** Reads the names of an edge; undefined leaves them as they are. */
export async function readHostports(
  given: readonly string[] | undefined,
  accountId: string,
  reader: HostportReader,
): Promise<ReservedHostports | undefined> {
  if (given === undefined) return undefined
  const hostports = [...new Set(given.map((hostport) => hostport.toLowerCase()))]
  const reservation_ids: string[] = []
  for (const hostport of hostports) reservation_ids.push(await reader(hostport, accountId))
  return { hostports, reservation_ids: [...new Set(reservation_ids)] }
}

/** A name leads to one edge only. */
export function hostportKeys({ hostports }: ReservedHostports): UniqueRule[] {
  return (hostports ?? []).map((value) => ({ name: 'edge_hostport', value, taken: 'hostport_taken' }))
}
