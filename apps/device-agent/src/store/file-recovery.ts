import { basename, dirname, join } from 'node:path'
import type { FileSystem } from './file-system.ts'

const setAsideFilesMax = 5

export interface Recovered<T> {
  readonly document: T
  readonly text: string
  /** False when the document came from a backup or an unfinished write. */
  readonly isCurrent: boolean
}

interface RecoverOptions<T> {
  readonly path: string
  readonly parse: (json: unknown) => T
  readonly onDamage: (problem: string) => void
  readonly files: FileSystem
}

/**
 * The newest whole document: the file, else its backup, else a finished write that was never put in place.
 * A damaged file is moved aside first, so that the next write cannot make it the backup.
 */
export async function recoverFile<T>(options: RecoverOptions<T>): Promise<Recovered<T> | null> {
  const { path, files, onDamage } = options
  for (const candidate of [path, `${path}.bak`, ...(await temporaries(path, files))]) {
    const text = await readText(candidate, options)
    if (text === null) continue
    const document = parseText(text, options.parse)
    if (document !== null) {
      if (candidate !== path) onDamage(`continued with ${basename(candidate)}`)
      return { document: document.value, text, isCurrent: candidate === path }
    }
    if (!candidate.endsWith('.tmp')) await setAside(candidate, options)
  }
  return null
}

/** Deletes what interrupted writes have left. */
export async function removeLeftovers(path: string, files: FileSystem): Promise<void> {
  for (const leftover of await temporaries(path, files))
    await files.rm(leftover, { force: true }).catch(() => undefined)
}

async function temporaries(path: string, files: FileSystem): Promise<string[]> {
  const names = await files.readdir(dirname(path)).catch(() => [])
  const ours = names.filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith('.tmp'))
  const dated = await Promise.all(
    ours.map(async (name) => {
      const place = join(dirname(path), name)
      return {
        place,
        changedMs: await files.stat(place).then(
          (stat) => stat.mtimeMs,
          () => 0,
        ),
      }
    }),
  )
  return dated.sort((a, b) => b.changedMs - a.changedMs).map(({ place }) => place)
}

async function readText<T>(path: string, { files, onDamage }: RecoverOptions<T>): Promise<string | null> {
  try {
    return await files.readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') onDamage(`cannot read ${basename(path)}: ${code}`)
    return null
  }
}

function parseText<T>(text: string, parse: (json: unknown) => T): { readonly value: T } | null {
  try {
    return { value: parse(JSON.parse(text)) }
  } catch {
    return null
  }
}

async function setAside<T>(path: string, { files, onDamage }: RecoverOptions<T>): Promise<void> {
  const names = await files.readdir(dirname(path))
  const places = Array.from({ length: setAsideFilesMax }, (_, index) => `${path}.corrupt-${index + 1}`)
  const place = places.find((free) => !names.includes(basename(free))) ?? `${path}.corrupt-${setAsideFilesMax}`
  try {
    await files.rename(path, place)
    onDamage(`${basename(path)} was damaged and is kept as ${basename(place)}`)
  } catch (error) {
    onDamage(`${basename(path)} is damaged and cannot be moved: ${(error as NodeJS.ErrnoException).code}`)
  }
}
