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

function sorted(list: CelList): CelValue[] {
  charge(list.size * 1_000)
  const items = [...list]
  const kinds = new Set(items.map((item) => typeof item))
  if (kinds.size > 1 || kinds.has('object'))
    throw new Error('a list is sorted only when all members are of one simple type')
  return items.sort((a, b) => ((a ?? 0) < (b ?? 0) ? -1 : (a ?? 0) > (b ?? 0) ? 1 : 0))
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
