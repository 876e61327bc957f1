import { describe, expect, it } from 'vitest'
import { readPolicyText } from './read-policy-text.ts'

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

describe('the text of a policy', () => {
  it('may be JSON or YAML', () => {
    const policy = { inbound: [{ expressions: ["req.method == 'PUT'"], actions: [{ type: 'deny' }] }] }
    expect(readPolicyText(JSON.stringify(policy))).toEqual(policy)
    const yaml = `inbound:\n  - expressions: ["req.method == 'PUT'"]\n    actions: [{ type: deny }]\n`
    expect(readPolicyText(yaml)).toEqual(policy)
  })

  it.each([
    ['a key twice', 'inbound: []\ninbound: []', /the key 'inbound' occurs twice/],
    ['a key twice, deep inside', 'inbound: [{ actions: [{ type: a, type: b }] }]', /'type' occurs twice/],
    ['deep nesting', '['.repeat(60_000), /at most 64 deep/],
    ['much text', lines(20_000, (index) => `k${index}: 1`), /at most 65536 characters/],
    [
      'aliases of aliases',
      lines(9, (index) => `a${index}: &a${index} [${`*a${index - 1},`.repeat(index === 0 ? 0 : 10)}x]`),
      /alias/i,
    ],
    ['no structure', 'a: b: c', /mappings/i],
  ])('is refused for %s', (_what, text, message) => expect(() => readPolicyText(text)).toThrow(message))

  it.each([
    ['keys', lines(6_000, (index) => `k${index}: 1`)],
    ['anchors', lines(3_800, (index) => `k${index}: &a${index} 1`)],
    ['entries of a flow map', `{${lines(8_000, (index) => `k${index},`)}}`],
  ])('with many %s is read in time', (_what, text) => {
    const before = process.threadCpuUsage()
    readPolicyText(text)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(1500)
  })
})
