import { join } from 'node:path'

const repositoryRoot = join(import.meta.dirname, '../../../..')

/** How to run one of the two programs: from a checkout, or a bundle that was built from it. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
}

/** As the scripts of the repository run them. */
export const serviceProgram: Program = fromSource('apps/service/src/main.ts', ['--max-semi-space-size=2'])
export const agentProgram: Program = fromSource('apps/device-agent/src/main.ts', ['--max-semi-space-size=1'])

/** Node on a file, given relative to the repository. */
export function fromSource(file: string, flags: readonly string[] = []): Program {
  return { command: process.execPath, args: [...flags, join(repositoryRoot, file)] }
}
