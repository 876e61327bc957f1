import { expect, it } from 'vitest'
import { errorPage } from './error-page.ts'

it('is what docs/errors.md shows', async () => {
  await expect(errorPage()).toMatchFileSnapshot('../../../docs/errors.md')
})
