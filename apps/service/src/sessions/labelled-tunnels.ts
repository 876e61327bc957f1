import type { Tunnel } from './tunnel.ts'

/** The online tunnels of each account that are reached through their labels. */
export class LabelledTunnels {
  readonly #byAccount = new Map<string, Set<Tunnel>>()
  /** One counter for all accounts: a needless look is cheaper than an entry for every account there ever was. */
  #version = 0

  /** Changes whenever a tunnel comes or goes. */
  get version(): number {
    return this.#version
  }

  add(tunnel: Tunnel): void {
    const tunnels = this.#byAccount.get(tunnel.accountId) ?? new Set()
    this.#byAccount.set(tunnel.accountId, tunnels.add(tunnel))
    this.#version += 1
  }

  remove(tunnel: Tunnel): void {
    const tunnels = this.#byAccount.get(tunnel.accountId)
    if (tunnels?.delete(tunnel) !== true) return
    if (tunnels.size === 0) this.#byAccount.delete(tunnel.accountId)
    this.#version += 1
  }

  /** Tunnels whose labels contain all of these; compared exactly. Without labels there is nothing to belong to. */
  withLabels(accountId: string, labels: Readonly<Record<string, string>>): Tunnel[] {
    const wanted = Object.entries(labels)
    if (wanted.length === 0) return []
    const tunnels = [...(this.#byAccount.get(accountId) ?? [])]
    return tunnels.filter(({ bind }) => wanted.every(([key, value]) => bind.labels?.[key] === value))
  }
}
