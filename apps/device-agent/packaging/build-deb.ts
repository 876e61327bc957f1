import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { BuildFacts } from '../src/build-facts.ts'
import { buildBundle } from './build-bundle.ts'

const run = promisify(execFile)
const debian = resolve(import.meta.dirname, 'debian')
const oldestNode = '20.18'
/** Files get this time, so that the same sources give the same package, byte by byte. */
const builtAt = new Date('2026-01-01T00:00:00Z')

interface PackageFile {
  readonly place: string
  readonly content: Buffer | string
  readonly mode: number
}

/** Writes `tunnel-agent_VERSION_all.deb` into a directory and returns its path. Needs `dpkg-deb`. */
export async function buildDeb(outDir: string, facts: BuildFacts): Promise<string> {
  const staging = await mkdtemp(join(tmpdir(), 'tunnel-agent-deb-'))
  try {
    const tree = join(staging, 'tree')
    await buildBundle(join(staging, 'bundle'), facts)
    for (const file of await packageFiles(join(staging, 'bundle'), facts)) await putInto(tree, file)
    await chmodDirectories(tree)
    await mkdir(outDir, { recursive: true })
    const target = join(outDir, `tunnel-agent_${facts.version}_all.deb`)
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(builtAt.getTime() / 1000) }
    await run('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', tree, target], { env })
    return target
  } finally {
    await rm(staging, { recursive: true })
  }
}

async function packageFiles(bundleDir: string, facts: BuildFacts): Promise<readonly PackageFile[]> {
  const packaged = async (place: string, source: string, mode = 0o644): Promise<PackageFile> => ({
    place,
    content: await readFile(source),
    mode,
  })
  return [
    { place: 'DEBIAN/control', content: controlFile(facts), mode: 0o644 },
    { place: 'DEBIAN/conffiles', content: '/etc/default/tunnel-agent\n', mode: 0o644 },
    await packaged('DEBIAN/postinst', join(debian, 'postinst'), 0o755),
    await packaged('DEBIAN/prerm', join(debian, 'prerm'), 0o755),
    await packaged('DEBIAN/postrm', join(debian, 'postrm'), 0o755),
    await packaged('etc/default/tunnel-agent', join(debian, 'default')),
    await packaged('usr/lib/systemd/system/tunnel-agent.service', join(debian, 'tunnel-agent.service')),
    await packaged('usr/lib/tunnel-agent/agent.mjs', join(bundleDir, 'agent.mjs')),
    await packaged('usr/lib/tunnel-agent/launcher.mjs', join(bundleDir, 'launcher.mjs')),
    await packaged('usr/bin/tunnel-agent', join(debian, 'tunnel-agent'), 0o755),
  ]
}

function controlFile({ version }: BuildFacts): string {
  return `Package: tunnel-agent
Version: ${version}
Architecture: all
Maintainer: the operator of this service <root@localhost>
Depends: nodejs (>= ${oldestNode})
Section: net
Priority: optional
Description: agent of a self-hosted tunnel service
 Keeps one outbound session to the service and gives programs on this device
 public addresses through it.
`
}

async function putInto(tree: string, { place: name, content, mode }: PackageFile): Promise<void> {
  const path = join(tree, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  await chmod(path, mode)
  await utimes(path, builtAt, builtAt)
}

/** The directory of `mkdtemp` is closed to others, and the package would be as well. */
async function chmodDirectories(tree: string): Promise<void> {
  await run('find', [
    tree,
    '-type',
    'd',
    '-exec',
    'chmod',
    '755',
    '{}',
    '+',
    '-exec',
    'touch',
    '-d',
    builtAt.toISOString(),
    '{}',
    '+',
  ])
}
