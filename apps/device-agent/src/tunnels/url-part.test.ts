import { expect, it } from 'vitest'
import { matchUrlPart } from './url-part.ts'

const tunnels = [
  'https://device123.sitea.example.com',
  'https://printer.sitea.example.com:8443',
  'https://printer.siteb.example.com:8443',
  'tcp://tunnel.example.com:20001',
].map((url) => ({ url }))

it.each([
  ['https://device123.sitea.example.com', ['https://device123.sitea.example.com']],
  ['https://device123.sitea.example.com/', ['https://device123.sitea.example.com']],
  ['Device123.SiteA.example.com', ['https://device123.sitea.example.com']],
  ['device123', ['https://device123.sitea.example.com']],
  ['printer.siteb.example.com', ['https://printer.siteb.example.com:8443']],
  ['printer.siteb.example.com:8443', ['https://printer.siteb.example.com:8443']],
  ['printer', ['https://printer.sitea.example.com:8443', 'https://printer.siteb.example.com:8443']],
  ['tcp://tunnel.example.com:20001', ['tcp://tunnel.example.com:20001']],
  ['https', []],
  ['s', []],
  ['', []],
  ['sitea.example.com', []],
])('"%s" means %j', (part, urls) => {
  expect(matchUrlPart(tunnels, part).map(({ url }) => url)).toEqual(urls)
})
