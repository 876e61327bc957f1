import {
  type CelEnv,
  type CelFunc,
  type CelValue,
  celEnv,
  celFunc,
  celMethod,
  isCelError,
  isCelList,
} from '@bufbuild/cel'
import { strings } from '@bufbuild/cel/ext'
import { charge } from './budget.ts'
import { chargeWalk } from './charge-walk.ts'
import { encodingFunctions } from './functions/encoding.ts'
import { hashFunctions } from './functions/hash.ts'
import { listFunctions } from './functions/lists.ts'
import { lookupFunctions } from './functions/lookup.ts'
import { networkFunctions } from './functions/network.ts'
import { randomFunctions } from './functions/random.ts'
import { textFunctions } from './functions/text.ts'
import { timeFunctions } from './functions/time.ts'

const zoneNanoseconds = 100_000
const textResultMaxChars = 64 * 1024
const listResultMaxItems = 1000

const own = [
  ...textFunctions,
  ...networkFunctions,
  ...encodingFunctions,
  ...hashFunctions,
  ...listFunctions,
  ...lookupFunctions,
  ...randomFunctions,
  ...timeFunctions,
]

/** Operators that take constant time on any operand; they stay as fast as the library makes them. */
const constantTime = new Set([
  '!_', '-_', '_<_', '_<=_', '_>_', '_>=_', '_-_', '_*_', '_/_', '_%_', 'startsWith', 'endsWith', 'matches', 'int', 'bool', 'dyn', 'type',
  '@hasKey', '@getAll', '@value', '@sameText', '@items', 'inCidrRange', 'inCidrRanges', 'isPrivateIp', 'lists.range', 'rand.int', 'rand.double',
]) // prettier-ignore

/** The functions that expressions may call, with what they cost taken from the budget. */
export const environment: CelEnv = celEnv({ funcs: [...celEnv({ funcs: [...strings, ...own] }).funcs].map(metered) })

function metered(func: CelFunc): CelFunc {
  if (constantTime.has(func.name)) return func
  const call = (target: CelValue | undefined, args: CelValue[]): CelValue => {
    // A named time zone makes the library build a formatter.
    if (func.name.startsWith('get') && args.length > 0) charge(zoneNanoseconds)
    if (target !== undefined) chargeWalk(target)
    for (const argument of args) chargeWalk(argument)
    const result = func.call(0, target, args)
    if (result === undefined) throw new Error(`no overload of ${func.name} for these arguments`)
    if (isCelError(result)) throw result
    return bounded(result)
  }
  if (func.target === undefined)
    return celFunc(func.name, func.arguments, func.result, (...args: CelValue[]) => call(undefined, args))
  return celMethod(func.name, func.target, func.arguments, func.result, function (...args: CelValue[]) {
    return call(this, args)
  })
}

function bounded(result: CelValue): CelValue {
  if (typeof result === 'string' && result.length > textResultMaxChars)
    throw new Error(`a text may have at most ${textResultMaxChars} characters`)
  if (isCelList(result) && result.size > listResultMaxItems)
    throw new Error(`a list may have at most ${listResultMaxItems} members`)
  return result
}
