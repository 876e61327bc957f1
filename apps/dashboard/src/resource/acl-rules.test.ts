import { expect, it } from 'vitest'
import { fromRule, ruleProblem, toRule } from './acl-rules.ts'

it.each(['*', 'bind:app.example.com', 'bind:*.example.com', 'bind:site=a', 'bind:tcp.example.com:20001'])(
  '%s comes out of the builder as it went in',
  (rule) => {
    expect(toRule(fromRule(rule))).toBe(rule)
    expect(ruleProblem(fromRule(rule))).toBeNull()
  },
)

it.each([
  ['name', 'not a name'],
  ['name', ''],
  ['below', '*.example.com'],
  ['label', 'site'],
])('says what is wrong with %s "%s"', (kind, value) => {
  expect(ruleProblem([kind, value])).not.toBeNull()
})
