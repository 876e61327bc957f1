import { describe, expect, it } from 'vitest'
import { type CaaRecord, caaPermits } from './caa.ts'

const question = {
  identities: ['ca.example', 'alias.example'],
  isWildcard: false,
  method: 'dns-01',
  accountUrl: 'https://ca.example/acct/1',
} as const
const record = (tag: string, value: string, isCritical = false): CaaRecord => ({ isCritical, tag, value })
const issue = (value: string): CaaRecord => record('issue', value)
const issuewild = (value: string): CaaRecord => record('issuewild', value)

describe('CAA records', () => {
  it.each<[string, readonly CaaRecord[], boolean, boolean]>([
    ['none', [], true, true],
    ['our authority', [issue('ca.example')], true, true],
    ['its other name in another case', [issue('Alias.Example')], true, true],
    ['another authority', [issue('other.example')], false, false],
    ['two authorities', [issue('other.example'), issue('ca.example')], true, true],
    ['nobody', [issue(';')], false, false],
    ['wildcards elsewhere', [issue('ca.example'), issuewild('other.example')], true, false],
    ['wildcards here only', [issue(';'), issuewild('ca.example')], false, true],
    ['wildcards by nobody, no word about others', [issuewild(';')], true, false],
    ['our method', [issue('ca.example; validationmethods=http-01,dns-01')], true, true],
    ['another method', [issue('ca.example; validationmethods=http-01')], false, false],
    ['our account', [issue('ca.example; accounturi=https://ca.example/acct/1')], true, true],
    ['another account', [issue('ca.example;accounturi=https://ca.example/acct/2')], false, false],
    ['a contact only', [record('iodef', 'mailto:a@example')], true, true],
    ['an unknown critical tag', [issue('ca.example'), record('future', 'x', true)], false, false],
    ['an unknown tag that is not critical', [issue('ca.example'), record('future', 'x')], true, true],
  ])('%s', (_case, records, plain, wildcard) => {
    expect(caaPermits(records, question)).toBe(plain)
    expect(caaPermits(records, { ...question, isWildcard: true })).toBe(wildcard)
  })

  it('that name an account permit while it is not known which is ours', () => {
    const records = [issue('ca.example;accounturi=https://ca.example/acct/2')]
    expect(caaPermits(records, { ...question, accountUrl: null })).toBe(true)
  })
})
