import * as nodeFiles from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FileSystem } from './file-system.ts'

let writes = 0

/** A name beside `path` that no other write uses. */
export function temporaryName(path: string): string {
  writes += 1
  return `${path}.${process.pid}.${writes}.tmp`
}

/** Writes a new file; when it settles, the content is on the disk. */
export async function writeSynced(files: FileSystem, path: string, text: string, mode: number): Promise<void> {
  const file = await files.open(path, 'wx', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes the names in a directory survive a power cut. */
export async function syncDirectory(files: FileSystem, path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await files.open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Replaces a text file at once: a reader finds the old or the new content. False when it held that content already. */
export async function replaceFile(path: string, text: string, mode: number): Promise<boolean> {
  const present = await nodeFiles.readFile(path, 'utf8').catch(() => null)
  if (present === text) return false
  const temporary = temporaryName(path)
  try {
    await writeSynced(nodeFiles, temporary, text, mode)
    await nodeFiles.rename(temporary, path)
  } catch (error) {
    await nodeFiles.rm(temporary, { force: true })
    throw error
  }
  await syncDirectory(nodeFiles, dirname(path))
  return true
}
