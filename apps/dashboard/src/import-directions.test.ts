import { importBreaches } from '@tunnel/testkit'
import { expect, it } from 'vitest'

it('folders import each other only downwards, and no two files each other', () => {
  const below = ['api', 'ui']
  expect(
    importBreaches(import.meta.dirname, {
      main: '*',
      app: '*',
      shell: '*',
      'page-routes': '*',
      'resource-pages': '*',
      navigation: [],
      pages: [...below, 'resource', 'resources'],
      resources: [...below, 'resource'],
      resource: below,
      ui: ['api'],
      api: [],
    }),
  ).toEqual([])
})
