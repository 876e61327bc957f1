import { array, assert, property, stringMatching } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWithin, lowerCased, parentOf, rootName, toText, toWireName, wildcardBelow } from './wire-name.ts'

const label = stringMatching(/^[a-z0-9_-]{1,20}$/)
const dotted = array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join('.'))

describe('a wire name', () => {
  it('is the same for any case and with or without the final dot', () => {
    assert(
      property(dotted, (text) => {
        expect(toWireName(`${text.toUpperCase()}.`)).toBe(toWireName(text))
        expect(toText(toWireName(text))).toBe(text)
      }),
    )
  })

  it('is within each of its ancestors and not within a name that merely ends alike', () => {
    assert(
      property(dotted, label, (text, first) => {
        const name = toWireName(`${first}.${text}`)
        expect(parentOf(name)).toBe(toWireName(text))
        expect(isWithin(name, toWireName(text))).toBe(true)
        expect(isWithin(toWireName(`x${text}`), toWireName(text))).toBe(false)
      }),
    )
  })

  it('lower-cases A-Z and no other octet', () => {
    expect(lowerCased('AZ[@\u00C0\u00DE')).toBe('az[@\u00C0\u00DE')
  })

  it('refuses empty labels, labels above 63 and names above 255 octets', () => {
    for (const text of ['a..b', '.a', 'a'.repeat(64), Array.from({ length: 64 }, () => 'abc').join('.')])
      expect(() => toWireName(text)).toThrow(RangeError)
    expect(toWireName('a'.repeat(63))).toHaveLength(65)
  })

  it('ends at the root', () => {
    expect(toWireName('.')).toBe(rootName)
    expect(parentOf(rootName)).toBe(rootName)
    expect(wildcardBelow(toWireName('a'))).toBe(toWireName('*.a'))
  })
})
