import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildFacts } from '../src/build-facts.ts'
import { buildBundle } from './build-bundle.ts'
import { buildDeb } from './build-deb.ts'

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: resolve(import.meta.dirname, '../dist') },
    /** Public root keys, one a line, as `release keygen` has written them. */
    roots: { type: 'string' },
    version: { type: 'string', default: buildFacts.version },
    deb: { type: 'boolean', default: false },
  },
})
const releaseRoots =
  values.roots === undefined ? [] : (await readFile(values.roots, 'utf8')).split('\n').filter(Boolean)
const facts = { ...buildFacts, version: values.version, releaseRoots }
await buildBundle(values.out, facts)
const written = [`${values.out}/agent.mjs`, `${values.out}/launcher.mjs`]
if (values.deb) written.push(await buildDeb(values.out, facts))
process.stdout.write(`version ${facts.version}, ${releaseRoots.length} root keys\n${written.join('\n')}\n`)
