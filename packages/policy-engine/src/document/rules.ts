import type { Phase } from '../expressions/exchange.ts'
import { limits } from './limits.ts'
import { childPath, type Findings } from './problem.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './read-document.ts'

/** Traffic that a policy is for. TLS-terminated HTTP counts as http. */
export type PolicyProtocol = 'http' | 'tls' | 'tcp'

export interface ActionEntry {
  readonly path: string
  readonly type: string
  readonly config: JsonValue
}

export interface RuleEntry {
  readonly path: string
  readonly phase: Phase
  readonly name: string
  readonly expressions: readonly { readonly path: string; readonly text: string }[]
  readonly actions: readonly ActionEntry[]
}

const phaseOfKey: ReadonlyMap<string, Phase> = new Map([
  ['inbound', 'request'],
  ['on_http_request', 'request'],
  ['outbound', 'response'],
  ['on_http_response', 'response'],
  ['on_tcp_connect', 'connect'],
])

/** Reads the rules of a document in the order in which they run, whichever spelling of the phases it uses. */
export function readRules(
  document: JsonValue,
  protocol: PolicyProtocol,
  findings: Findings,
): { isEnabled: boolean; rules: RuleEntry[] } {
  if (!isJsonObject(document)) {
    findings.refuse('$', 'wrong_type', 'a policy is an object with the keys inbound and outbound')
    return { isEnabled: true, rules: [] }
  }
  refuseBothSpellings(document, findings)
  const rules = Object.entries(document).flatMap(([key, value]) => readPhase(key, value, protocol, findings))
  if ('enabled' in document && typeof document['enabled'] !== 'boolean') {
    findings.refuse('$.enabled', 'wrong_type', 'enabled is true or false')
  }
  return { isEnabled: document['enabled'] !== false, rules }
}

function refuseBothSpellings(document: JsonObject, findings: Findings): void {
  for (const [old, now] of [
    ['inbound', 'on_http_request'],
    ['outbound', 'on_http_response'],
  ] as const) {
    if (document[old] !== undefined && document[now] !== undefined) {
      findings.refuse(`$.${now}`, 'conflicting_fields', `${old} and ${now} are the same phase: use one of them`)
    }
  }
}

function readPhase(key: string, value: JsonValue, protocol: PolicyProtocol, findings: Findings): RuleEntry[] {
  const path = childPath('$', key)
  const sentPhase = phaseOfKey.get(key)
  if (!sentPhase) {
    if (key !== 'enabled')
      findings.refuse(path, 'unknown_key', `unknown key '${key}': a policy has inbound and outbound`)
    return []
  }
  if (value === null) return []
  if (!Array.isArray(value)) return (findings.refuse(path, 'wrong_type', `${key} is a list of rules`), [])
  const phase = protocol === 'http' ? sentPhase : 'connect'
  if (value.length > 0 && protocol !== 'http' && key !== 'inbound' && sentPhase !== 'connect') {
    return (
      findings.refuse(path, 'wrong_protocol', `a ${protocol} tunnel has no ${key}: its rules stand in inbound`), []
    )
  }
  if (value.length > limits.rulesPerPhaseMax)
    findings.refuse(path, 'too_many', `a phase has at most ${limits.rulesPerPhaseMax} rules`)
  return value.slice(0, limits.rulesPerPhaseMax).flatMap((rule: JsonValue, index) => {
    return readRule(rule, `${path}[${index}]`, phase, `${key}[${index}]`, findings)
  })
}

function readRule(rule: JsonValue, path: string, phase: Phase, place: string, findings: Findings): RuleEntry[] {
  if (!isJsonObject(rule)) return (findings.refuse(path, 'wrong_type', 'a rule is an object'), [])
  for (const key of Object.keys(rule)) {
    if (!['name', 'expressions', 'actions'].includes(key)) {
      findings.refuse(
        childPath(path, key),
        'unknown_field',
        `unknown field '${key}': a rule has name, expressions and actions`,
      )
    }
  }
  const name = readName(rule['name'], path, place, findings)
  const expressions = readExpressions(rule['expressions'], `${path}.expressions`, findings)
  const actions = readActions(rule['actions'], `${path}.actions`, findings)
  return [{ path, phase, name, expressions, actions }]
}

/** Rules without a name go by their place. Numbers are taken because clients send them. */
function readName(name: JsonValue | undefined, path: string, place: string, findings: Findings): string {
  if (name === undefined || name === null || name === '') return place
  if (typeof name !== 'string' && typeof name !== 'number') {
    findings.refuse(`${path}.name`, 'wrong_type', 'the name of a rule is a string')
    return place
  }
  if (Buffer.byteLength(String(name)) > limits.ruleNameMaxBytes) {
    findings.refuse(`${path}.name`, 'too_long', `the name of a rule has at most ${limits.ruleNameMaxBytes} bytes`)
  }
  return String(name)
}

function readExpressions(list: JsonValue | undefined, path: string, findings: Findings): RuleEntry['expressions'] {
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) return (findings.refuse(path, 'wrong_type', 'expressions is a list of strings'), [])
  if (list.length > limits.expressionsPerRuleMax) {
    findings.refuse(path, 'too_many', `a rule has at most ${limits.expressionsPerRuleMax} expressions`)
  }
  return list.slice(0, limits.expressionsPerRuleMax).flatMap((text: JsonValue, index) => {
    const itemPath = childPath(path, index)
    if (typeof text === 'string') return [{ path: itemPath, text }]
    return (findings.refuse(itemPath, 'wrong_type', 'an expression is a string'), [])
  })
}

function readActions(list: JsonValue | undefined, path: string, findings: Findings): ActionEntry[] {
  if (list === undefined || list === null)
    return (findings.refuse(path, 'missing_field', 'a rule has at least one action'), [])
  if (!Array.isArray(list)) return (findings.refuse(path, 'wrong_type', 'actions is a list'), [])
  if (list.length === 0) findings.refuse(path, 'missing_field', 'a rule has at least one action')
  if (list.length > limits.actionsPerRuleMax)
    findings.refuse(path, 'too_many', `a rule has at most ${limits.actionsPerRuleMax} actions`)
  return list
    .slice(0, limits.actionsPerRuleMax)
    .flatMap((action: JsonValue, index) => readAction(action, childPath(path, index), findings))
}

function readAction(action: JsonValue, path: string, findings: Findings): ActionEntry[] {
  if (!isJsonObject(action))
    return (findings.refuse(path, 'wrong_type', 'an action is an object with type and config'), [])
  for (const key of Object.keys(action)) {
    if (key !== 'type' && key !== 'config')
      findings.refuse(childPath(path, key), 'unknown_field', `unknown field '${key}': an action has type and config`)
  }
  const { type, config = null } = action
  if (type === undefined) return (findings.refuse(`${path}.type`, 'missing_field', 'an action has a type'), [])
  if (typeof type !== 'string')
    return (findings.refuse(`${path}.type`, 'wrong_type', 'the type of an action is a string'), [])
  return [{ path, type, config }]
}
