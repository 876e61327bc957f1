import { compareVersions, type Manifest, parseVersion } from '@tunnel/agent-release'
import type { UpdateState } from './update-state.ts'

export interface OwnFacts {
  readonly agentVersion: string
  readonly nodeVersion: string
  readonly channel: string
}

/** Why a trustworthy release is none for this device, or null when it is one. */
export function unsuitable(manifest: Manifest, own: OwnFacts, state: UpdateState): string | null {
  const { version, channel, minAgent, minNode, allowDowngrade } = manifest
  if (version === own.agentVersion) return `${version} is the version that runs`
  // Where it lies is the service's choice; the channel is what the signer said.
  if (channel !== own.channel) return `${version} is of the channel ${channel}`
  if (parseVersion(version)?.major !== parseVersion(own.agentVersion)?.major)
    return `${version} is another major version`
  if (state.quarantined.includes(version)) return `${version} was tried and rolled back`
  if (!allowDowngrade && isOlder(version, [own.agentVersion, state.floor])) return `${version} is older`
  if (compareVersions(own.agentVersion, minAgent) < 0) return `${version} needs agent ${minAgent} first`
  if (compareVersions(own.nodeVersion, minNode) < 0) return `${version} needs Node ${minNode}`
  return null
}

function isOlder(version: string, than: readonly (string | null)[]): boolean {
  return than.some((known) => known !== null && compareVersions(version, known) < 0)
}
