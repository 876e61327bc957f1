import * as fc from 'fast-check'
import { isIP } from 'node:net'
import { expect, it } from 'vitest'
import { canonicalHostPrincipal } from './host-principal.ts'

it.each([
  ['router.example.com', 'router.example.com'],
  ['Router.Example.COM.', 'router.example.com'],
  ['*', '*'],
  ['*.Example.com', '*.example.com'],
  ['10.0.0.1', '10.0.0.1'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
])('writes %s as %s', (text, principal) => {
  expect(canonicalHostPrincipal(text)).toEqual({ principal })
})

it.each([
  ['', 'empty'],
  ['.', 'empty'],
  ['a'.repeat(256), 'too_long'],
  ['a b', 'character'],
  ['a,b', 'character'],
  ['a\0b', 'character'],
  ['a\n', 'character'],
  ['bücher.example', 'character'],
  ['router:22', 'port'],
  ['[::1]:22', 'port'],
  ['fe80::1%eth0', 'port'],
])('refuses %j: %s', (text, mistake) => {
  expect(canonicalHostPrincipal(text)).toEqual({ mistake })
})

it('changes nothing the second time', () => {
  const texts = fc.oneof(fc.string(), fc.domain(), fc.ipV4(), fc.ipV6())
  fc.assert(
    fc.property(texts, (text) => {
      const once = canonicalHostPrincipal(text)
      if ('mistake' in once) return
      expect(canonicalHostPrincipal(once.principal)).toEqual(once)
    }),
  )
})

it('keeps an address the same address', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const canonical = canonicalHostPrincipal(text)
      expect('principal' in canonical && isIP(canonical.principal)).toBe(6)
    }),
  )
})
