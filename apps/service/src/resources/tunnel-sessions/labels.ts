import type { LabeledTunnels } from '../backends/tunnel-group-backends.ts'
import type { SessionDirectory } from './online.ts'

type Labels = Readonly<Record<string, string>>

/**
 * Whether a tunnel without an address belongs to a group: it has every label of the group, spelled the same; further ones
 * do not matter. A group without labels has no tunnels.
 */
export function servesGroup(labels: Labels, group: Labels): boolean {
  const wanted = Object.entries(group)
  return wanted.length > 0 && wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
}

/** Only tunnels without an address serve groups. */
export function tunnelsWithLabels(directory: Pick<SessionDirectory, 'tunnels'>): LabeledTunnels {
  return {
    withLabels: (accountId, group) => {
      if (Object.keys(group).length === 0) return []
      const labeled = directory.tunnels(accountId).filter(({ publicUrl }) => publicUrl === null)
      return labeled.filter(({ labels }) => servesGroup(labels, group)).map(({ id }) => id)
    },
  }
}
