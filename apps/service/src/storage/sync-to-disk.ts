import { closeSync, fsyncSync, openSync } from 'node:fs'

/** What is in this file outlasts a loss of power. */
export function syncFile(path: string): void {
  sync(path, 'r+')
}

/** Files that were created in this directory, or renamed into it, keep their names after a loss of power. */
export function syncDirectory(path: string): void {
  // Windows keeps names without being asked, and refuses to be.
  if (process.platform !== 'win32') sync(path, 'r')
}

function sync(path: string, flags: string): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
