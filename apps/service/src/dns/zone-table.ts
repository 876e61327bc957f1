import { parentOf, rootName, toWireName, type WireName } from './wire-name.ts'
import type { Zone } from './zone.ts'

/** The zones that this server has authority for. */
export class ZoneTable {
  readonly #zones = new Map<WireName, Zone>()

  add(zone: Zone): void {
    this.#zones.set(zone.apex, zone)
  }

  remove(apex: string): void {
    this.#zones.delete(toWireName(apex))
  }

  /** The zone with exactly this apex. */
  get(apex: string): Zone | undefined {
    return this.#zones.get(toWireName(apex))
  }

  /** The deepest zone that a name belongs to. */
  find(name: WireName): Zone | undefined {
    for (let at = name; at !== rootName; at = parentOf(at)) {
      const zone = this.#zones.get(at)
      if (zone !== undefined) return zone
    }
    return undefined
  }
}
