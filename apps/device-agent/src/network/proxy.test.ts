import { expect, it } from 'vitest'
import { isDirect } from './proxy.ts'

it.each([
  ['connect.example.com', '*', true],
  ['connect.example.com', 'example.com', true],
  ['connect.example.com', '.example.com', true],
  ['connect.example.com', '*.example.com', true],
  ['CONNECT.example.com', 'Connect.Example.com', true],
  ['connect.example.com', 'example.com:443', true],
  ['connect.example.com', 'example.com:8443', false],
  ['badexample.com', 'example.com', false],
  ['connect.example.com', '', false],
  ['10.0.0.5', '10.0.0.5', true],
  ['10.0.0.5', '0.5', false],
  ['[2001:db8::1]', '2001:db8::1', true],
  ['[2001:db8::1]', '[2001:db8::1]:443', true],
  ['localhost', '', true],
  ['connect.tunnel.localhost', '', true],
  ['127.0.0.1', '', true],
])('%s with NO_PROXY "%s" is direct: %s', (host, entry, isReachedDirectly) => {
  expect(isDirect(host, 443, entry ? [entry] : [])).toBe(isReachedDirectly)
})
