import { expect, it } from 'vitest'
import { hostNameOf } from './host-name.ts'

it.each([
  ['app.example.com', 'app.example.com'],
  ['App.Example.COM:8443', 'app.example.com'],
  ['app.example.com.', 'app.example.com'],
  ['app.example.com.:80', 'app.example.com'],
  ['a', 'a'],
  ['127.0.0.1:80', '127.0.0.1'],
  ['[::1]:80', '[::1]'],
  ['my_app.example.com', 'my_app.example.com'],
  ['', undefined],
  ['.', undefined],
  ['a..b', undefined],
  ['.a', undefined],
  ['-a', undefined],
  ['a:b', undefined],
  ['a:123456', undefined],
  ['a b', undefined],
  ['a@b', undefined],
  ['a/b', undefined],
  ['a,b', undefined],
  ['a\0', undefined],
  ['ä.example.com', undefined],
  ['a'.repeat(300), undefined],
])('the host name of %j is %j', (authority, hostName) => {
  expect(hostNameOf(authority)).toBe(hostName)
})
