import { join } from 'node:path'
import { importBreaches } from '@tunnel/testkit'
import { expect, it } from 'vitest'

it('folders import each other only in the directions of the map', () => {
  const src = join(import.meta.dirname, '../src')
  expect(
    importBreaches(src, {
      main: '*',
      agent: '*',
      'agent-session': '*',
      'agent-status': '*',
      'agent-store': '*',
      'own-api': '*',
      'remote-management': '*',
      config: ['network', 'secret'],
      'local-api': ['network', 'store', 'tunnels'],
      tunnels: ['network', 'store'],
      session: ['config', 'network', 'tunnels', 'version'],
      forward: ['network'],
      ssh: ['config', 'network', 'store'],
      store: [],
      network: ['secret'],
    }),
  ).toEqual([])
})
