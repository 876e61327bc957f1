import { CelScalar, type CelType } from '@bufbuild/cel'
import { describe, isAssignable } from './cel-types.ts'
import { environment } from './environment.ts'

interface Overload {
  readonly target: CelType | undefined
  readonly args: readonly CelType[]
  readonly result: CelType
}

const overloads = new Map<string, Overload[]>()
for (const { name, target, arguments: args, result } of environment.funcs) {
  overloads.set(name, [...(overloads.get(name) ?? []), { target, args, result }])
}

export function isFunction(name: string): boolean {
  return overloads.has(name)
}

/** Result type of a call with these operand types; undefined when no overload takes them. */
export function resultType(name: string, target: CelType | undefined, args: readonly CelType[]): CelType | undefined {
  const matching = (overloads.get(name) ?? []).filter((overload) => accepts(overload, target, args))
  const [first] = matching
  if (!first) return undefined
  return matching.every(({ result }) => describe(result) === describe(first.result)) ? first.result : CelScalar.DYN
}

function accepts(overload: Overload, target: CelType | undefined, args: readonly CelType[]): boolean {
  if ((overload.target === undefined) !== (target === undefined) || overload.args.length !== args.length) return false
  if (overload.target && target && !isAssignable(target, overload.target)) return false
  return overload.args.every((wanted, index) => isAssignable(args[index] ?? CelScalar.DYN, wanted))
}
