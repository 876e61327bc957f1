import { ServiceError } from '@tunnel/models'
import { describe, expect, it } from 'vitest'
import { requireLabelsAllowed, requireNameAllowed } from './bind-acl.ts'

function isNameAllowed(acl: readonly string[], name: string): boolean {
  return passes(() => requireNameAllowed({ credentialId: 'cr_1', acl }, name))
}

function areLabelsAllowed(acl: readonly string[], labels: Record<string, string>): boolean {
  return passes(() => requireLabelsAllowed({ credentialId: 'cr_1', acl }, labels))
}

function passes(check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    return !(error instanceof ServiceError)
  }
}

describe('names', () => {
  it.each([
    [[], 'any.example.com', true],
    [['*'], 'any.example.com', true],
    [['bind:*'], 'any.example.com', true],
    [['bind:app.example.com'], 'app.example.com', true],
    [['bind:APP.Example.com'], 'app.example.com', true],
    [['bind:app.example.com'], 'x.app.example.com', false],
    [['bind:app.example.com'], 'app.example.com.evil.org', false],
    [['bind:*.site.example.com'], 'device123.site.example.com', true],
    [['bind:*.site.example.com'], 'a.b.site.example.com', true],
    [['bind:*.site.example.com'], '*.site.example.com', true],
    [['bind:*.site.example.com'], 'site.example.com', false],
    [['bind:*.site.example.com'], '.site.example.com', false],
    [['bind:*.site.example.com'], 'evil-site.example.com', false],
    [['bind:*.site.example.com'], 'example.com', false],
    [['bind:site.example.com'], '*.site.example.com', false],
    [['bind:a.example.com', 'bind:b.example.com'], 'b.example.com', true],
    [['bind:key=value'], 'key.example.com', false],
    [['bind:'], 'a.example.com', false],
    [['nonsense'], 'a.example.com', false],
    [['app.example.com'], 'app.example.com', false],
  ])('%j and %s: %s', (acl, name, expected) => {
    expect(isNameAllowed(acl, name)).toBe(expected)
  })
})

describe('labels', () => {
  it.each([
    [[], { a: 'b' }, true],
    [['bind:*'], { a: 'b' }, true],
    [['bind:a=b'], { a: 'b' }, true],
    [['bind:a=b'], { a: 'c' }, false],
    [['bind:a=b'], { A: 'b' }, false],
    [['bind:a=*'], { a: 'anything' }, true],
    [['bind:*=b'], { whatever: 'b' }, true],
    [['bind:a=b'], { a: 'b', c: 'd' }, false],
    [['bind:a=b', 'bind:c=*'], { a: 'b', c: 'd' }, true],
    [['bind:app.example.com'], { a: 'b' }, false],
  ])('%j and %j: %s', (acl, labels, expected) => {
    expect(areLabelsAllowed(acl, labels as Record<string, string>)).toBe(expected)
  })
})

it('names the credential and what was refused', () => {
  const permissions = { credentialId: 'cr_7', acl: ['bind:a.example.com'] }
  expect(() => requireNameAllowed(permissions, 'b.example.com')).toThrow(/cr_7.*b\.example\.com/)
  expect(() => requireLabelsAllowed(permissions, { k: 'v' })).toThrow(/cr_7.*k=v/)
})
