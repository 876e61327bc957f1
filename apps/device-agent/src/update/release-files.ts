import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as nodeFiles from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '../store/synced-write.ts'
import type { Release } from './update-state.ts'

/** The bundles of a state directory, one file each, named after their version. */
export class ReleaseFiles {
  readonly #directory: string

  constructor(stateDir: string) {
    this.#directory = join(stateDir, 'releases')
  }

  bundlePath({ version }: Pick<Release, 'version'>): string {
    return join(this.#directory, `${version}.mjs`)
  }

  /** Where a download grows; named after its content, so that only the same one is continued. */
  partPath({ sha256 }: Release): string {
    return join(this.#directory, `${sha256}.part`)
  }

  async prepare(): Promise<void> {
    await nodeFiles.mkdir(this.#directory, { recursive: true, mode: 0o700 })
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await nodeFiles.statfs(this.#directory)
    return bavail * bsize
  }

  /** Puts a finished download in its place, if it is what was announced. */
  async adopt(release: Release): Promise<boolean> {
    const part = this.partPath(release)
    if (hashOf(await nodeFiles.readFile(part)) !== release.sha256) {
      await nodeFiles.rm(part, { force: true })
      return false
    }
    await nodeFiles.rename(part, this.bundlePath(release))
    await syncDirectory(nodeFiles, this.#directory)
    return true
  }

  /** Whether a bundle is on the disk, whole. Bits of a memory card do fall over. */
  isUsable(release: Release): boolean {
    try {
      return hashOf(readFileSync(this.bundlePath(release))) === release.sha256
    } catch {
      return false
    }
  }

  /** Deletes everything but these. */
  async keepOnly(releases: readonly Release[]): Promise<void> {
    const kept = releases.map(({ version }) => `${version}.mjs`)
    for (const name of await nodeFiles.readdir(this.#directory).catch(() => [])) {
      if (!kept.includes(name)) await nodeFiles.rm(join(this.#directory, name), { force: true })
    }
  }
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
