import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { type ImportRules, importBreaches } from '@tunnel/testkit'
import { expect, it } from 'vitest'

const src = resolve(import.meta.dirname, '../src')

/** What each folder may import. `composition` connects them all. */
const folders: ImportRules = {
  composition: '*',
  api: [],
  // A module is refused for what the policy it stands for would be refused.
  resources: ['api', 'policies', 'storage'],
  dashboard: ['api', 'storage'],
  events: ['api'],
  sessions: [],
  edge: [],
  routing: ['edge', 'policies'],
  certs: ['jobs', 'storage'],
  cluster: [],
  dns: ['jobs', 'storage'],
  jobs: [],
  storage: [],
  policies: [],
  releases: [],
  // It examines what the composition would connect.
  doctor: ['certs', 'config', 'dns', 'storage'],
  cli: ['certs', 'config', 'doctor', 'policies', 'releases', 'resources', 'storage'],
}

it('keeps its import directions, and no two files import each other', () => {
  const files = readdirSync(src).filter((name) => name.endsWith('.ts'))
  const composing = Object.fromEntries(files.map((name) => [basename(name, '.ts'), '*' as const]))
  const breaches = importBreaches(src, { ...composing, ...folders, config: ['config-values'], 'config-values': [] })
  expect(breaches).toEqual([])
})
