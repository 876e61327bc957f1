import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Files that were created in this directory, or renamed into it, keep their names after a loss of power. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
