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
  const tallies = new RuleTallies(registry)
  const loggedAt = new Map<string, number>()

  function isLoggable(key: string): boolean {
    const now = nowMs()
    if (now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < failureLogMs) return false
    if (loggedAt.size >= rulesMax) loggedAt.clear()
    loggedAt.set(key, now)
    return true
  }

  return {
    matched: (rule) => void tallies.of(rule).matched++,
    terminated: (rule) => void tallies.of(rule).terminated++,
    failed(rule, what, message) {
      tallies.of(rule).failed++
      const { name, path } = rule
      if (isLoggable(`${name} ${what} ${message}`))
        log.warn({ rule: name, path, what, reason: message }, 'a policy rule failed')
    },
    logged: ({ name }, metadata) => log.info({ rule: name, metadata }, 'policy log'),
  }
}

interface RuleTally {
  readonly rule: string
  readonly phase: string
  matched: number
  terminated: number
  failed: number
}

const results = ['matched', 'terminated', 'failed'] as const

/** Plain numbers by rule and phase, which become a metric when somebody asks for it. */
class RuleTallies {
  readonly #byName = new Map<string, RuleTally>()
  readonly #names = new Set<string>()
  readonly #known = new WeakMap<RuleRef, RuleTally>()

  constructor(registry: Registry) {
    const counter: Counter = new Counter({
      name: 'policy_rules_total',
      help: 'What the rules of policies did',
      labelNames: ['rule', 'phase', 'result'],
      registers: [],
      collect: () => {
        counter.reset()
        for (const tally of this.#byName.values())
          for (const result of results)
            if (tally[result] > 0) counter.inc({ rule: tally.rule, phase: tally.phase, result }, tally[result])
      },
    })
    registry.registerMetric(counter)
  }

  of(rule: RuleRef): RuleTally {
    const known = this.#known.get(rule)
    if (known !== undefined) return known
    const tally = this.#find(rule)
    this.#known.set(rule, tally)
    return tally
  }

  #find({ name, phase }: RuleRef): RuleTally {
    if (this.#names.size < rulesMax) this.#names.add(name)
    const rule = this.#names.has(name) ? name : 'other rules'
    const key = `${phase} ${rule}`
    const tally = this.#byName.get(key) ?? { rule, phase, matched: 0, terminated: 0, failed: 0 }
    this.#byName.set(key, tally)
    return tally
  }
}
