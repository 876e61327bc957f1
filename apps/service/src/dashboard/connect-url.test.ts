import { expect, it } from 'vitest'
import { connectUrl } from './connect-url.ts'

it.each([
  [null, 8443, 'wss://connect.example.com:8443'],
  [null, 443, 'wss://connect.example.com'],
  ['https://api.example.com', 8443, 'wss://connect.example.com'],
  ['https://api.example.com:9443', 8443, 'wss://connect.example.com:9443'],
  ['http://127.0.0.1:4300', 8443, 'wss://connect.example.com:8443'],
])('base URL %s and port %i give %s', (baseUrl, httpsPort, url) => {
  expect(connectUrl({ zone: 'example.com', baseUrl, httpsPort })).toBe(url)
})
