import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Program, runProcess } from '@tunnel/testkit'

const repositoryRoot = join(import.meta.dirname, '../..')
const packaging = join(repositoryRoot, 'apps/device-agent/packaging')

/** The agent as the Debian package runs it. */
export interface PackagedAgent {
  /** Code of agent and launcher together. */
  readonly bytes: number
  /** The unit's command line on a given Node. */
  program(node: string): Program
  /** What the unit sets for the runtime itself, with its cache in `cacheDir`. */
  env(cacheDir: string): Readonly<Record<string, string>>
}

/** Builds the bundle and reads from the unit how it is started. */
export async function packageAgent(outDir: string): Promise<PackagedAgent> {
  await runProcess(process.execPath, [join(packaging, 'build.ts'), '--out', outDir])
  const unit = await readFile(join(packaging, 'debian/tunnel-agent.service'), 'utf8')
  const [, flags = ''] = /^ExecStart=\/usr\/bin\/node (.*) \S+ run$/m.exec(unit) ?? []
  const runtime: Record<string, string> = {}
  for (const [, name = '', value = ''] of unit.matchAll(/\b((?:MALLOC|NODE)_\w+)=(\S+)/g)) runtime[name] = value
  const sizes = await Promise.all(['agent.mjs', 'launcher.mjs'].map((name) => stat(join(outDir, name))))
  return {
    bytes: sizes.reduce((sum, { size }) => sum + size, 0),
    program: (node) => ({ command: node, args: [...flags.split(' '), join(outDir, 'launcher.mjs')] }),
    env: (cacheDir) => ({ ...runtime, NODE_COMPILE_CACHE: cacheDir }),
  }
}
