import { resolve } from 'node:path'
import { importBreaches } from '@tunnel/testkit'
import { expect, it } from 'vitest'

it('keeps its import directions, and no two files import each other', () => {
  const src = resolve(import.meta.dirname, '../src')
  const breaches = importBreaches(src, {
    main: ['service', 'config', 'cli'],
    service: '*',
    'session-directory': ['resources', 'sessions'],
    'own-hosts': ['edge', 'sessions'],
    cli: ['config', 'resources', 'storage'],
    config: [],
    lifecycle: [],
    api: [],
    resources: ['api', 'storage'],
    dashboard: ['api', 'resources', 'storage'],
    events: ['api'],
    sessions: [],
    edge: [],
    routing: ['edge'],
    certs: ['jobs', 'storage'],
    dns: ['jobs', 'storage'],
    jobs: [],
    storage: [],
  })
  expect(breaches).toEqual([])
})
