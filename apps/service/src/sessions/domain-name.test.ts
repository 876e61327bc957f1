import { describe, expect, it } from 'vitest'
import { parseDomainName } from './domain-name.ts'

describe('a domain name', () => {
  it.each([
    ['App.Example.com', 'app.example.com'],
    ['*.site.example.com', '*.site.example.com'],
    ['xn--bcher-kva.example.com', 'xn--bcher-kva.example.com'],
  ])('%s is taken as %s', (text, expected) => {
    expect(parseDomainName(text)).toBe(expected)
  })

  it.each([
    ['localhost', /two labels/],
    ['*.com', /two labels/],
    ['a.*.example.com', /\* that is not/],
    ['a*.example.com', /\* that is not/],
    ['-a.example.com', /hyphens/],
    ['a..example.com', /hyphens/],
    ['a_b.example.com', /hyphens/],
    ['a.example.com.', /hyphens/],
    ['bücher.example.com', /hyphens/],
    ['a.example.com:443', /hyphens/],
    ['a/b.example.com', /hyphens/],
    [`${'a'.repeat(64)}.example.com`, /hyphens/],
    [`${'a.'.repeat(127)}com`, /253/],
  ])('%s is refused with the rule that it breaks', (text, problem) => {
    expect(() => parseDomainName(text)).toThrow(problem)
  })
})
