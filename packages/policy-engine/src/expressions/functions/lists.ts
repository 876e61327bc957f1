import {
  CelScalar,
  type CelList,
  type CelValue,
  celFunc,
  celList,
  celMethod,
  isCelList,
  listType,
  mapType,
} from '@bufbuild/cel'
import { charge } from '../budget.ts'
import { toJsonText } from '../json-values.ts'

const { INT, DYN } = CelScalar
const LIST = listType(DYN)
const MAP = mapType(DYN, DYN)
const rangeMax = 1000
/** Of an iteration that fails; one that works takes a fifth of it. */
const iterationNanoseconds = 5_000

function flatten(list: CelList): CelValue[] {
  return [...list].flatMap((item) => (isCelList(item) ? [...item] : [item]))
}

interface Keyed {
  readonly key: CelValue
  readonly item: CelValue
}

function sorted(list: CelList): CelValue[] {
  return sortByKey([...list].map((item) => ({ key: item, item })))
}

function sortByKey(entries: Keyed[]): CelValue[] {
  charge(entries.length * 1_000)
  const kinds = new Set(entries.map(({ key }) => typeof key))
  if (kinds.size > 1 || kinds.has('object'))
    throw new Error('a list is sorted only when all its members, or their keys, are of one simple type')
  const compare = (a: CelValue, b: CelValue): number => ((a ?? 0) < (b ?? 0) ? -1 : (a ?? 0) > (b ?? 0) ? 1 : 0)
  return entries.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item)
}

function readPair(pair: CelValue): Keyed {
  if (!isCelList(pair)) throw new Error('a member has no key')
  const [key = null, item = null] = pair
  return { key, item }
}

function distinct(list: CelList): CelValue[] {
  charge(list.size * 1_000)
  const seen = new Map<string, CelValue>()
  for (const item of list) {
    const key = `${typeof item}:${toJsonText(item)}`
    if (!seen.has(key)) seen.set(key, item)
  }
  return [...seen.values()]
}

function slice(list: CelList, from: bigint, to: bigint): CelValue[] {
  if (from < 0n || to > BigInt(list.size) || from > to) throw new Error('slice is outside of the list')
  return [...list].slice(Number(from), Number(to))
}

export const listFunctions = [
  celMethod('slice', LIST, [INT, INT], LIST, function (from, to) {
    return celList(slice(this, from, to))
  }),
  celMethod('flatten', LIST, [], LIST, function () {
    return celList(flatten(this))
  }),
  celMethod('sort', LIST, [], LIST, function () {
    return celList(sorted(this))
  }),
  celFunc('@sortPairs', [LIST], LIST, (pairs) => celList(sortByKey([...pairs].map(readPair)))),
  celMethod('distinct', LIST, [], LIST, function () {
    return celList(distinct(this))
  }),
  celFunc('lists.range', [INT], listType(INT), (count) => {
    if (count < 0n || count > BigInt(rangeMax)) throw new Error(`a range has at most ${rangeMax} members`)
    return Array.from({ length: Number(count) }, (_, index) => BigInt(index))
  }),
  // The library chains lists instead of copying, which overflows the stack when a loop builds a long one.
  celFunc('_+_', [LIST, LIST], LIST, (left, right) => {
    charge((left.size + right.size) * 20)
    return celList([...left, ...right])
  }),
  // Wraps what a loop runs over, so that iterations count, nested ones as often as they run.
  celFunc('@items', [LIST], LIST, (list) => {
    charge(list.size * iterationNanoseconds)
    return list
  }),
  celFunc('@items', [MAP], MAP, (map) => {
    charge(map.size * iterationNanoseconds)
    return map
  }),
]
