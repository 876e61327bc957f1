/**
 * Where the service offers releases, below its connect address and equally below its releases directory:
 * the newest signed release of a major version, and every bundle under the hash of its content.
 */
export const releasePlaces = {
  root: '/agent-releases',
  latest: (channel: string, major: number): string => `${channel}/${major}.json`,
  bundle: (sha256: string): string => `bundles/${sha256}.mjs`,
}
