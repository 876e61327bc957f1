import { join } from 'node:path'

const repositoryRoot = join(import.meta.dirname, '../../../..')

/** How to run one of the two programs: from a checkout, or a bundle that was built from it. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
}

export const serviceProgram: Program = fromSource('apps/service/src/main.ts')
export const agentProgram: Program = fromSource('apps/device-agent/src/main.ts')

/** Node on a file, given relative to the repository. */
export function fromSource(file: string): Program {
  return { command: process.execPath, args: [join(repositoryRoot, file)] }
}
