import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TempDir, tempDir } from '@tunnel/testkit'

export interface WorkDirectory extends TempDir {
  /** Writes a file that only its owner may read, as OpenSSH demands, and returns its path. */
  write(name: string, content: string | Buffer): string
}

export async function workDirectory(): Promise<WorkDirectory> {
  const directory = await tempDir()
  return {
    ...directory,
    write(name, content) {
      writeFileSync(join(directory.path, name), content, { mode: 0o600 })
      return join(directory.path, name)
    },
  }
}
