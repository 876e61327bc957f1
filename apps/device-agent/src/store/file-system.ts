import type * as nodeFiles from 'node:fs/promises'

/** The file operations that the store uses; a test hands in ones that fail. */
export type FileSystem = Pick<
  typeof nodeFiles,
  'copyFile' | 'link' | 'open' | 'readFile' | 'readdir' | 'rename' | 'rm' | 'stat'
>
