import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildFacts } from '../src/build-facts.ts'
import { buildBundle } from './build-bundle.ts'

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: resolve(import.meta.dirname, '../dist') },
    /** Public root keys, one a line, as `release keygen` has written them. */
    roots: { type: 'string' },
  },
})
const releaseRoots =
  values.roots === undefined ? [] : (await readFile(values.roots, 'utf8')).split('\n').filter(Boolean)
await buildBundle(values.out, { ...buildFacts, releaseRoots })
process.stdout.write(
  `${values.out}/agent.mjs and launcher.mjs, version ${buildFacts.version}, ${releaseRoots.length} root keys\n`,
)
