import { CelScalar, type CelValue, celFunc, celMethod, listType } from '@bufbuild/cel'
import { charge } from '../budget.ts'
import { matchPattern } from '../pattern.ts'

const { STRING, INT, BOOL, DYN } = CelScalar

function replaceFirst(text: string, search: string, replacement: string, count: number): string {
  if (count < 0) return text.replaceAll(search, () => replacement)
  const pieces = text.split(search)
  const replaced = pieces.slice(0, count + 1).join(replacement)
  return [replaced, ...pieces.slice(count + 1)].join(search)
}

/** What `==` of two texts is rewritten to: no overload to find, and work only where the lengths agree. */
function isSameText(left: CelValue, right: CelValue): boolean {
  if (typeof left !== 'string' || typeof right !== 'string' || left.length !== right.length) return false
  charge(left.length)
  return left === right
}

/** Text functions beside those of the language's strings extension, and linear forms of two of them. */
export const textFunctions = [
  celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
    return matchPattern(this, pattern)
  }),
  celFunc('matches', [STRING, STRING], BOOL, matchPattern),
  celMethod('reverse', STRING, [], STRING, function () {
    return Array.from(this).reverse().join('')
  }),
  celMethod('lower', STRING, [], STRING, function () {
    return this.toLowerCase()
  }),
  celMethod('upper', STRING, [], STRING, function () {
    return this.toUpperCase()
  }),
  celMethod('split', STRING, [], listType(STRING), function () {
    return this.split(' ')
  }),
  celMethod('replace', STRING, [STRING, STRING], STRING, function (search, replacement) {
    return replaceFirst(this, search, replacement, -1)
  }),
  celMethod('replace', STRING, [STRING, STRING, INT], STRING, function (search, replacement, count) {
    return replaceFirst(this, search, replacement, Number(count))
  }),
  celFunc('@sameText', [DYN, DYN], BOOL, isSameText),
  celFunc('@foldCase', [STRING], STRING, (text) => text.toLowerCase()),
]
