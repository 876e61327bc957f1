import { CelScalar, celFunc, celList, isCelMap, listType, type CelValue } from '@bufbuild/cel'
import { renderText } from '../json-values.ts'

const { STRING, BOOL, DYN } = CelScalar
const nothing = celList([])

function valueOf(map: CelValue, key: CelValue): CelValue | undefined {
  if (!isCelMap(map)) throw new Error('what is looked into is not a map')
  return map.get(key as string)
}

/**
 * What looking into a variable's map is rewritten to: `in`, `has()`, an index, and `hasReqHeader(name)` with its
 * relatives. The library's own ways try every overload, or first look for a variable with the key in its name.
 * Keys of header maps are folded by the rewriting.
 */
export const lookupFunctions = [
  celFunc('@hasKey', [DYN, DYN], BOOL, (map, key) => valueOf(map, key) !== undefined),
  celFunc('@getAll', [DYN, STRING], listType(DYN), (map, key) => (valueOf(map, key) ?? nothing) as typeof nothing),
  celFunc('@value', [DYN, DYN], DYN, (map, key) => {
    const value = valueOf(map, key)
    if (value === undefined) throw new Error(`field not found: ${renderText(key)}`)
    return value
  }),
]

/** The public functions: which map they read and which internal function answers. */
export const lookupNames: ReadonlyMap<string, { variable: string; target: '@hasKey' | '@getAll' }> = new Map([
  ['hasReqHeader', { variable: 'req.headers', target: '@hasKey' }],
  ['getReqHeader', { variable: 'req.headers', target: '@getAll' }],
  ['hasQueryParam', { variable: 'req.url.query_params', target: '@hasKey' }],
  ['getQueryParam', { variable: 'req.url.query_params', target: '@getAll' }],
  ['hasReqCookie', { variable: 'req.cookies', target: '@hasKey' }],
  ['getReqCookie', { variable: 'req.cookies', target: '@getAll' }],
  ['hasResHeader', { variable: 'res.headers', target: '@hasKey' }],
  ['getResHeader', { variable: 'res.headers', target: '@getAll' }],
  ['hasResCookie', { variable: 'res.cookies', target: '@hasKey' }],
  ['getResCookie', { variable: 'res.cookies', target: '@getAll' }],
])
