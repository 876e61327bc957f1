import type { Phase } from './exchange.ts'
import { legacyNames, unavailablePrefixes, type Variable, variables } from './variables.ts'

/** What a dotted name means. `rest` are the fields selected from the variable's value. */
export type Resolution =
  | {
      readonly kind: 'variable'
      readonly name: string
      readonly variable: Variable
      readonly rest: readonly string[]
      readonly legacy?: string
    }
  | {
      readonly kind: 'refused'
      readonly code: 'unknown_variable' | 'variable_unavailable' | 'wrong_phase'
      readonly message: string
    }

/** Resolves a dotted name to the longest declared variable that it begins with. */
export function resolveName(sent: readonly string[], phase: Phase): Resolution {
  const legacy = legacyPrefix(sent)
  const names = legacy ? [...legacy.name.split('.'), ...sent.slice(legacy.length)] : sent
  const full = names.join('.')
  for (let length = names.length; length > 0; length--) {
    const name = names.slice(0, length).join('.')
    const variable = variables.get(name)
    if (!variable) continue
    const rest = names.slice(length)
    if (rest.length > 0 && variable.type.kind === 'scalar') break
    if (!variable.phases.includes(phase)) return refused('wrong_phase', `'${full}' is not available in this phase`)
    return { kind: 'variable', name, variable, rest, ...(legacy && { legacy: sent.slice(0, legacy.length).join('.') }) }
  }
  if (unavailablePrefixes.some((prefix) => `${full}.`.startsWith(`${prefix}.`))) {
    return refused('variable_unavailable', `'${full}' is not available on this server, so no rule may depend on it`)
  }
  return refused('unknown_variable', `unknown variable '${full}'${suggestion(full)}`)
}

function refused(code: 'unknown_variable' | 'variable_unavailable' | 'wrong_phase', message: string): Resolution {
  return { kind: 'refused', code, message }
}

function legacyPrefix(names: readonly string[]): { name: string; length: number } | undefined {
  for (let length = Math.min(3, names.length); length > 1; length--) {
    const name = legacyNames.get(names.slice(0, length).join('.'))
    if (name !== undefined) return { name, length }
  }
  return undefined
}

function suggestion(name: string): string {
  const close = [...variables.keys()].find((known) => editDistance(known, name) <= 2)
  return close === undefined ? '' : ` (did you mean '${close}'?)`
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution))
    }
    previous = current
  }
  return previous[b.length] ?? 3
}
