import type { LabeledTunnels } from '../backends/tunnel-group-backends.ts'
import type { SessionDirectory } from './online.ts'

type Labels = Readonly<Record<string, string>>

/** Whether a tunnel belongs to a group: it has every label of the group, spelled the same; further ones do not matter. */
export function hasLabels(labels: Labels, group: Labels): boolean {
  return Object.entries(group).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
}

/** Only tunnels without an address serve groups. A group without labels has no tunnels. */
export function tunnelsWithLabels(directory: Pick<SessionDirectory, 'tunnels'>): LabeledTunnels {
  return {
    withLabels: (accountId, group) => {
      if (Object.keys(group).length === 0) return []
      const labeled = directory.tunnels(accountId).filter(({ publicUrl }) => publicUrl === null)
      return labeled.filter(({ labels }) => hasLabels(labels, group)).map(({ id }) => id)
    },
  }
}
