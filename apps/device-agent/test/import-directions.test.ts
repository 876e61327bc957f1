import { join } from 'node:path'
import { importBreaches } from '@tunnel/testkit'
import { expect, it } from 'vitest'

it('folders import each other only in the directions of the map', () => {
  const src = join(import.meta.dirname, '../src')
  expect(
    importBreaches(src, {
      main: ['cli'],
      cli: ['agent', 'build-facts', 'config', 'doctor', 'remote-management', 'session', 'ssh', 'store'],
      agent: '*',
      'agent-session': '*',
      'agent-status': '*',
      'agent-store': '*',
      'agent-update': '*',
      'own-api': '*',
      'remote-management': ['config', 'session'],
      'build-facts': ['update'],
      config: ['config-values', 'network', 'secret'],
      'config-values': ['network', 'secret'],
      doctor: ['build-facts', 'config', 'forward', 'network', 'session', 'tunnels'],
      forward: ['network'],
      ssh: ['config', 'network', 'store'],
      launcher: ['build-facts', 'config', 'session', 'store', 'update'],
      'local-api': ['network', 'store', 'tunnels'],
      network: ['secret'],
      session: ['config', 'network', 'tunnels'],
      store: [],
      tunnels: ['network', 'store'],
      update: ['network', 'store'],
    }),
  ).toEqual([])
})
