import type { Tunnel } from '@tunnel/models'
import { useMemo } from 'react'
import { api } from '../api/client.ts'
import { useListing } from '../api/queries.ts'

/**
 * Ids of the sessions with a tunnel that has a label such as `site=a`, or any value of `site`. Null without a label: no filter.
 * Sessions themselves have no labels; those of their tunnels are what groups select by.
 */
export function useSessionsWithLabel(label: string): ReadonlySet<string> | null {
  const isWanted = label !== ''
  const { data } = useListing(api.tunnels, { enabled: isWanted })
  return useMemo(() => (isWanted ? sessionsWithLabel(data ?? [], label) : null), [data, isWanted, label])
}

export function sessionsWithLabel(tunnels: readonly Tunnel[], label: string): ReadonlySet<string> {
  const [key = '', value] = label.split('=')
  const found = tunnels.filter(
    ({ labels = {} }) => Object.hasOwn(labels, key) && (value === undefined || labels[key] === value),
  )
  return new Set(found.map((tunnel) => tunnel.tunnel_session.id))
}
