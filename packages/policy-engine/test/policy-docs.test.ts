import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { policyDocs } from './policy-docs.ts'
import { problemsOf, warningsOf } from './harness.ts'

const introduction = await readFile(join(import.meta.dirname, 'policy-docs-introduction.md'), 'utf8')

it('docs/policies.md says what the definitions say, and its examples do what it shows', async () => {
  await expect(await policyDocs(introduction)).toMatchFileSnapshot('../../../docs/policies.md')
})

it('the policy of the introduction is valid', () => {
  const [, document = ''] = /```json\n([^]*?)```/.exec(introduction) ?? []
  expect(problemsOf(document)).toEqual([])
  expect(warningsOf(document)).toEqual([])
})
