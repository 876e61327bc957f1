import { ServiceError } from '@tunnel/models'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readFilter } from './list-filter.ts'

const item = {
  id: 'ipr_1',
  created_at: '2026-03-01T00:00:00Z',
  description: 'it\'s "office"',
  cidr: '192.0.2.0/24',
  acl: ['bind:*', 'bind:a=b'],
  active: true,
  weight: 7,
  ip_policy: { id: 'ipp_1', uri: 'https://api.example.com/ip_policies/ipp_1' },
  certificate: null,
}
const fields = [...Object.keys(item), 'metadata']
const now = Date.parse('2026-03-08T00:00:00Z')
const holds = (text: string) => readFilter(text, fields, now)(item)

it.each([
  'obj.id == "ipr_1"',
  "obj.description == 'it\\'s \"office\"'",
  'obj.cidr != "10.0.0.0/8" && obj.weight >= 7',
  'obj.metadata == "" && obj.metadata == null && obj.certificate == null',
  'obj.ip_policy == "ipp_1" && obj.ip_policy.id == "ipp_1"',
  '"bind:*" in obj.acl',
  'obj.id in ["x", "ipr_1"]',
  'size(obj.acl) == 2 && obj.acl.size() == 2 && size(obj.metadata) == 0',
  'obj.active && !(obj.weight < 7)',
  'obj.weight > -1 && obj.weight < 7.5',
  'obj.created_at > timestamp("2026-02-28T23:59:59Z")',
  'obj.created_at <= timestamp("2026-03-01T01:00:00+01:00")',
  'timestamp(obj.created_at) == timestamp(time.now).subtract("7d")',
  'timestamp(time.now).add("24h") > obj.created_at',
  'obj.cidr.startsWith("192.") && obj.cidr.endsWith("/24") && obj.cidr.contains("0.2")',
  'false || true',
])('%s holds', (text) => {
  expect(holds(text)).toBe(true)
  expect(holds(`!(${text})`)).toBe(false)
})

it.each([
  'obj.weight < "8"',
  'obj.certificate.id == "cert_1"',
  '"x" in obj.description',
  'obj.weight',
  'obj.created_at < timestamp("soon")',
  'obj.acl == ["bind:*"]',
  'obj.id.constructor == null && false',
])('%s does not hold', (text) => expect(holds(text)).toBe(false))

it.each([
  '',
  'obj.',
  'obj',
  'id == "ipr_1"',
  'obj.secret == ""',
  'obj.__proto__ == null',
  'obj.acl[0] == "x"',
  'obj.acl.exists(x, x == "bind:*")',
  'has(obj.id)',
  'obj.weight + 1 == 8',
  'obj.active ? true : false',
  'obj.id.matches(".*")',
  '{"a": 1} == obj.id',
  `obj.id == "${'x'.repeat(1000)}"`,
])('%s is refused', (text) => {
  expect(() => readFilter(text, fields, now)).toThrow(ServiceError)
})

// prettier-ignore
const parts = ['obj', '.id', '.acl', '(', ')', '[', ']', '"a"', '&&', '||', '!', '==', ' in ', 'size', 'timestamp', '1', '-', 'null', 'time.now']

it('is refused or runs, whatever it is', () => {
  const word = fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 3 }))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      expect([true, false, 'refused']).toContain(answerTo(words.join('')))
    }),
  )
})

function answerTo(text: string): boolean | 'refused' {
  try {
    return holds(text)
  } catch (error) {
    if (error instanceof ServiceError) return 'refused'
    throw error
  }
}
