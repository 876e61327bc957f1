import * as nodeFiles from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Adapter } from 'lowdb'
import { recoverFile, removeLeftovers } from './file-recovery.ts'
import type { FileSystem } from './file-system.ts'
import { syncDirectory, temporaryName, writeSynced } from './synced-write.ts'

const ownerOnly = 0o600

export interface DurableFileOptions<T> {
  readonly path: string
  /** Turns parsed JSON into the document, or throws when it is not one. */
  readonly parse: (json: unknown) => T
  /** Told about damage that reading has found, and what was done about it. */
  readonly onDamage?: (problem: string) => void
  readonly files?: FileSystem
}

/**
 * One JSON document in one file that survives power cuts: a reader finds the old or the new content, never a mixture,
 * and a settled `write` is on the disk. The content before is kept beside it as `.bak`. Only the owner can read it.
 */
export class DurableFile<T> implements Adapter<T> {
  readonly #options: DurableFileOptions<T>
  readonly #files: FileSystem
  #storedText: string | null = null
  #lastWrite: Promise<void> = Promise.resolve()

  constructor(options: DurableFileOptions<T>) {
    this.#options = options
    this.#files = options.files ?? nodeFiles
  }

  /** The document, or null when there is none. Damaged files are set aside and never deleted. */
  async read(): Promise<T | null> {
    const { path, parse, onDamage = () => undefined } = this.#options
    const found = await recoverFile({ path, parse, onDamage, files: this.#files })
    await removeLeftovers(path, this.#files)
    this.#storedText = found?.isCurrent ? found.text : null
    return found?.document ?? null
  }

  /** Writes one after the other; each caller settles by its own. Equal content is not written again: flash wears out. */
  write(document: T): Promise<void> {
    const write = this.#lastWrite.then(() => this.#replace(document))
    this.#lastWrite = write.catch(() => undefined)
    return write
  }

  async #replace(document: T): Promise<void> {
    const text = `${JSON.stringify(document, null, 2)}\n`
    if (text === this.#storedText) return
    const { path } = this.#options
    const temporary = temporaryName(path)
    try {
      await writeSynced(this.#files, temporary, text, ownerOnly)
      if (this.#storedText !== null) await this.#keepBackup(path)
      await this.#files.rename(temporary, path)
    } catch (error) {
      await this.#files.rm(temporary, { force: true }).catch(() => undefined)
      throw error
    }
    this.#storedText = text
    await syncDirectory(this.#files, dirname(path))
  }

  // Between the two steps there is no backup, and the file itself is whole.
  async #keepBackup(path: string): Promise<void> {
    const backup = `${path}.bak`
    await this.#files.rm(backup, { force: true })
    await this.#files.link(path, backup).catch(() => this.#files.copyFile(path, backup))
  }
}
