import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const guide = join(import.meta.dirname, '../../../../docs/ssh.md')

/** The commands of docs/ssh.md, section by section; section 0 stands before the first heading. */
export function guideSections(): readonly string[] {
  const sections = readFileSync(guide, 'utf8').split(/^## /m)
  return sections.map((section) => [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code).join(''))
}
