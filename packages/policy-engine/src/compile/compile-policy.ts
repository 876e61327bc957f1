import type { RunAction } from '../actions/action.ts'
import { findAction, unavailableActions } from '../actions/registry.ts'
import { hasForm } from '../document/check-config.ts'
import { Findings, type Problem, type Warning } from '../document/problem.ts'
import { readDocument } from '../document/read-document.ts'
import { type ActionEntry, type PolicyProtocol, readRules, type RuleEntry } from '../document/rules.ts'
import type { Phase } from '../expressions/exchange.ts'
import { compileCondition, type Expression } from '../expressions/expression.ts'
import { findingsAt } from '../expressions/findings-at.ts'
import { Policy } from '../run/policy.ts'
import type { PolicyHost, RuleRef } from '../run/policy-host.ts'
import type { CompiledAction, CompiledRule } from '../run/run-rules.ts'
import { actionContext } from './action-context.ts'

/** Usual policies need a hundredth of it. */
const compileMaxMicroseconds = 500_000

export interface CompileOptions {
  readonly protocol: PolicyProtocol
  readonly host: PolicyHost
}

/** A policy that can run, or everything that is wrong with the document. Warnings never stand in the way. */
export type CompileResult =
  | { readonly ok: true; readonly policy: Policy; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Warning[] }

/** Compiles a document: JSON text or an already parsed value. Never throws on a document. */
export function compilePolicy(document: unknown, options: CompileOptions): CompileResult {
  const findings = new Findings()
  const isOverdue = deadline(findings)
  const value = readDocument(document, findings)
  const { isEnabled, rules } =
    value === undefined ? { isEnabled: true, rules: [] } : readRules(value, options.protocol, findings)
  const compiled = rules.map((rule) => compileRule(rule, options, findings, isOverdue))
  refuseSecondAuthentication(rules, findings)
  const { problems, warnings } = findings
  if (problems.length > 0) return { ok: false, problems, warnings }
  return { ok: true, policy: new Policy(options.host, isEnabled ? compiled : []), warnings }
}

/** Says whether the processor time for one document is used up, and refuses the document when it is. */
function deadline(findings: Findings): () => boolean {
  const startedAt = processorTime()
  let isOver = false
  return () => {
    if (isOver) return true
    const { user, system } = processorTime(startedAt)
    isOver = user + system > compileMaxMicroseconds
    if (isOver)
      findings.refuse('$', 'too_complex', 'the expressions and patterns of the policy take too long to compile')
    return isOver
  }
}

/** Of this thread; of the whole process on the oldest Node that agents run on, which knows no other. */
function processorTime(since?: NodeJS.CpuUsage): NodeJS.CpuUsage {
  const running: Partial<Pick<NodeJS.Process, 'threadCpuUsage'>> = process
  return running.threadCpuUsage?.(since) ?? process.cpuUsage(since)
}

function compileRule(
  entry: RuleEntry,
  options: CompileOptions,
  findings: Findings,
  isOverdue: () => boolean,
): CompiledRule {
  const rule: RuleRef = { phase: entry.phase, path: entry.path, name: entry.name }
  const conditions = entry.expressions.map(({ path, text }) =>
    isOverdue() ? undefined : compileCondition(text, entry.phase, findingsAt(findings, path)),
  )
  const actions: CompiledAction[] = []
  let endedBy: string | undefined
  for (const action of entry.actions) {
    if (isOverdue()) break
    if (endedBy !== undefined)
      findings.refuse(action.path, 'unreachable_action', `never runs: ${endedBy} before it ends the phase`)
    const compiled = compileAction(action, rule, options, findings)
    if (compiled) actions.push(compiled)
    if (compiled?.ends) endedBy = action.type
  }
  const isDenying = entry.actions.some(({ type }) => type === 'deny')
  if (isDenying) warnOfUnguardedKeys(entry, conditions, findings)
  return { rule, conditions: conditions.filter((condition) => condition !== undefined), actions }
}

function compileAction(
  entry: ActionEntry,
  rule: RuleRef,
  options: CompileOptions,
  findings: Findings,
): CompiledAction | undefined {
  const definition = findAction(entry.type)
  if (!definition) return (refuseType(entry, findings), undefined)
  if (!definition.phases.includes(rule.phase)) {
    const phases = definition.phases.map((phase) => phaseNames[phase]).join(', ')
    findings.refuse(
      `${entry.path}.type`,
      'wrong_phase',
      `${entry.type} runs in ${phases}, not in ${phaseNames[rule.phase]}`,
    )
    return undefined
  }
  const config = entry.config ?? {}
  const path = `${entry.path}.config`
  if (!hasForm(definition.config, config, path, findings)) return undefined
  const run: RunAction = definition.compile(
    config,
    actionContext({ ...options, phase: rule.phase, rule, findings, path }),
  )
  return { type: entry.type, run, onFailure: definition.onFailure, ends: definition.ends?.(config) ?? false }
}

const phaseNames: Readonly<Record<Phase, string>> = {
  connect: 'the connect phase',
  request: 'the request phase (inbound)',
  response: 'the response phase (outbound)',
}

function refuseType({ type, path }: ActionEntry, findings: Findings): void {
  if (unavailableActions.has(type))
    findings.refuse(`${path}.type`, 'action_unavailable', `the action ${type} is not available on this server`)
  else findings.refuse(`${path}.type`, 'unknown_action', `unknown action '${type}'`)
}

/** A failing expression does not match, so a missing header would let a request past a rule that denies. */
function warnOfUnguardedKeys(
  entry: RuleEntry,
  conditions: readonly (Expression | undefined)[],
  findings: Findings,
): void {
  const guarded = new Set(conditions.flatMap((condition) => [...(condition?.keys.guarded ?? [])]))
  conditions.forEach((condition, index) => {
    const path = entry.expressions[index]?.path ?? entry.path
    for (const { key, position } of condition?.keys.indexed ?? []) {
      if (guarded.has(key)) continue
      findings.warn(
        path,
        'unguarded_index',
        `when ${key.replace(':', ' has no ')}, the expression fails and the rule does not deny: test for it with 'in'`,
        position,
      )
    }
  })
}

const authenticating = new Set(['oauth', 'openid-connect', 'oidc', 'saml'])

function refuseSecondAuthentication(rules: readonly RuleEntry[], findings: Findings): void {
  const actions = rules.flatMap((rule) => rule.actions).filter(({ type }) => authenticating.has(type))
  for (const { path, type } of actions.slice(1))
    findings.refuse(path, 'conflicting_fields', `a policy has one sign-in action, ${type} is the second`)
}
