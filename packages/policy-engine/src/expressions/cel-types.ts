import { CelScalar, type CelType, objectType } from '@bufbuild/cel'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'

export const TIMESTAMP = objectType(TimestampSchema)

/** Whether a value of one type can stand where the other is wanted. `dyn` is only known at run time, so it always can. */
export function isAssignable(from: CelType, to: CelType): boolean {
  if (from === CelScalar.DYN || to === CelScalar.DYN) return true
  if (from.kind === 'list' && to.kind === 'list') return isAssignable(from.element, to.element)
  if (from.kind === 'map' && to.kind === 'map')
    return isAssignable(from.key, to.key) && isAssignable(from.value, to.value)
  return from.kind === to.kind && from.name === to.name
}

const numeric = new Set(['int', 'uint', 'double'])

/** Whether `==` between the two can ever be true. Numbers compare across their types. */
export function isComparable(left: CelType, right: CelType): boolean {
  if (isAssignable(left, right) || isAssignable(right, left)) return true
  if (left === CelScalar.NULL || right === CelScalar.NULL) return true
  if (left.kind === 'list' && right.kind === 'list') return isComparable(left.element, right.element)
  return numeric.has(left.name) && numeric.has(right.name)
}

/** The type of a list or map whose members have these types. */
export function commonType(types: readonly CelType[]): CelType {
  const [first = CelScalar.DYN, ...rest] = types
  return rest.every((type) => describe(type) === describe(first)) ? first : CelScalar.DYN
}

/** `list(string)`, `map(string, dyn)`, `int`. */
export function describe(type: CelType): string {
  if (type.kind === 'list') return `list(${describe(type.element)})`
  if (type.kind === 'map') return `map(${describe(type.key)}, ${describe(type.value)})`
  return type.name.replace(/^google\.protobuf\./, '').toLowerCase()
}
