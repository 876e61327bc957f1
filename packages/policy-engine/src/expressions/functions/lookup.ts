import { CelScalar, celFunc, celList, listType, mapType } from '@bufbuild/cel'

const { STRING, BOOL, DYN } = CelScalar
const MAP = mapType(STRING, DYN)
const nothing = celList([])

/**
 * Targets of the rewriting of `hasReqHeader(name)` and its relatives, which name the map that they look in. Keys of
 * header maps are folded by the rewriting.
 */
export const lookupFunctions = [
  celFunc('@hasKey', [MAP, STRING], BOOL, (map, key) => map.has(key)),
  celFunc('@getAll', [MAP, STRING], listType(DYN), (map, key) => {
    const values = map.get(key)
    return values === undefined ? nothing : (values as typeof nothing)
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
