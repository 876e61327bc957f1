import type { PolicyObserver, RuleRef } from '@tunnel/policy-engine'
import { Counter, type Registry } from 'prom-client'

/** Rules that have figures of their own; further ones are counted together. */
const rulesMax = 1000
/** Between two lines about the same failure of the same rule. */
const failureLogMs = 60_000

interface PolicyLog {
  info(fields: object, event: string): void
  warn(fields: object, event: string): void
}

/** Counts what rules do, and logs what they say. Rules go by their names; values of requests are never logged unasked. */
export function policyObserver(registry: Registry, log: PolicyLog, nowMs: () => number): PolicyObserver {
  const counter = new Counter({
    name: 'policy_rules_total',
    help: 'What the rules of policies did',
    labelNames: ['rule', 'phase', 'result'],
    registers: [registry],
  })
  const names = new Set<string>()
  const loggedAt = new Map<string, number>()

  function count({ name, phase }: RuleRef, result: string): void {
    if (names.size < rulesMax) names.add(name)
    counter.inc({ rule: names.has(name) ? name : 'other rules', phase, result })
  }

  function isLoggable(key: string): boolean {
    const now = nowMs()
    if (now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < failureLogMs) return false
    if (loggedAt.size >= rulesMax) loggedAt.clear()
    loggedAt.set(key, now)
    return true
  }

  return {
    matched: (rule) => count(rule, 'matched'),
    terminated: (rule) => count(rule, 'terminated'),
    failed(rule, what, message) {
      count(rule, 'failed')
      const { name, path } = rule
      if (isLoggable(`${name} ${what} ${message}`))
        log.warn({ rule: name, path, what, reason: message }, 'a policy rule failed')
    },
    logged: ({ name }, metadata) => log.info({ rule: name, metadata }, 'policy log'),
  }
}
