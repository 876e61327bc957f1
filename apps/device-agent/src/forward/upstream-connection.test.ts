import { expect, it } from 'vitest'
import { isNearby } from './upstream-connection.ts'

it.each([
  'localhost',
  'app.localhost',
  '127.0.0.1',
  '::1',
  '192.168.1.5',
  '10.0.0.1',
  'fd12::1',
  'printer',
  'nas.local',
])('%s need not have a certificate that somebody signed', (host) => {
  expect(isNearby(host)).toBe(true)
})

it.each(['example.com', '93.184.216.34', '2606:2800:220:1::1', 'local.example.com', '172.32.0.1'])(
  '%s is verified',
  (host) => {
    expect(isNearby(host)).toBe(false)
  },
)
