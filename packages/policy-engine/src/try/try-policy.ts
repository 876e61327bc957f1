import { type CelValue, isCelError } from '@bufbuild/cel'
import { type Json, toJsonValue } from '../expressions/json-values.ts'
import type { Outcome } from '../run/outcome.ts'
import type { Policy } from '../run/policy.ts'
import type { PolicyExchange } from '../run/policy-exchange.ts'
import type { PolicyTrace, RuleRef } from '../run/policy-host.ts'
import { type PolicySample, sampleFacts, sampleResponse } from './sample.ts'

/** How long one sample may take, so that a trial cannot hold up the process. */
const trialMs = 500

/** What one rule did with a sample, and why. Wire form. */
export interface RuleTrial {
  readonly phase: string
  readonly name: string
  readonly path: string
  readonly is_matched: boolean
  readonly expressions: { readonly text: string; readonly value?: Json; readonly error?: string }[]
  readonly actions: { readonly type: string; readonly outcome: Json }[]
}

/** What became of one sample. Wire form. */
export interface SampleTrial {
  readonly rules: readonly RuleTrial[]
  /** What answered: the upstream, or a rule of the policy. */
  readonly answered_by: 'upstream' | 'policy'
  /** What goes to the upstream; null when it is not asked. */
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly (readonly [string, string])[]
  } | null
  /** What the visitor gets; null when the connection is closed or handed to another tunnel. */
  readonly response: {
    readonly status_code: number
    readonly headers: readonly (readonly [string, string])[]
    readonly body?: string
    readonly content_coding?: string
  } | null
  /** Values that actions left under `actions.service`. */
  readonly results: Json
  readonly error?: string
}

/** Runs a policy on a made-up request, and tells what each rule did. */
export async function tryPolicy(policy: Policy, sample: PolicySample, nowMs: number): Promise<SampleTrial> {
  const recorder = new Recorder()
  const exchange = policy.begin(sampleFacts(sample, nowMs), recorder)
  try {
    const outcome = (await policy.onConnect(exchange)) ?? (await policy.onRequest(exchange))
    return { ...(await finish(policy, exchange, outcome, sample)), rules: recorder.rules }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return {
      rules: recorder.rules,
      answered_by: 'policy',
      request: null,
      response: null,
      results: null,
      error: message,
    }
  }
}

type Ending = Omit<SampleTrial, 'rules'>

async function finish(
  policy: Policy,
  exchange: PolicyExchange,
  outcome: Outcome | undefined,
  sample: PolicySample,
): Promise<Ending> {
  if (outcome?.kind === 'respond' && outcome.runsResponsePhase) {
    const rawHeaders = outcome.headers.flat()
    const replaced = await policy.onResponse(exchange, { statusCode: outcome.status, rawHeaders })
    return ending(exchange, replaced ?? outcome, null)
  }
  if (outcome) return ending(exchange, outcome, null)
  const facts = sampleResponse(sample)
  const replaced = await policy.onResponse(exchange, facts)
  const { request } = exchange
  const sent = request && { method: request.facts.method, url: request.url, headers: pairs(request.headers.raw) }
  return ending(exchange, replaced, sent ?? null)
}

function ending(exchange: PolicyExchange, outcome: Outcome | undefined, request: SampleTrial['request']): Ending {
  const results = toJson(exchange.results)
  const { response } = exchange
  if (outcome?.kind === 'respond') {
    const headers = response && outcome.runsResponsePhase ? pairs(response.headers.raw) : outcome.headers
    return {
      answered_by: 'policy',
      request,
      response: { status_code: outcome.status, headers, body: outcome.body },
      results,
    }
  }
  if (outcome || !response) return { answered_by: 'policy', request, response: null, results }
  const coding = response.contentCoding && { content_coding: response.contentCoding }
  return {
    answered_by: 'upstream',
    request,
    response: { status_code: response.statusCode, headers: pairs(response.headers.raw), ...coding },
    results,
  }
}

class Recorder implements PolicyTrace {
  readonly rules: RuleTrial[] = []
  readonly #deadlineMs = performance.now() + trialMs
  #expressions: RuleTrial['expressions'] = []

  expression(_rule: RuleRef, _index: number, text: string, result: unknown): void {
    if (performance.now() > this.#deadlineMs) throw new Error('the trial took too long')
    this.#expressions.push({ text, ...(isCelError(result) ? { error: result.message } : { value: toJson(result) }) })
  }

  rule({ phase, name, path }: RuleRef, isMatched: boolean): void {
    this.rules.push({ phase, name, path, is_matched: isMatched, expressions: this.#expressions, actions: [] })
    this.#expressions = []
  }

  action(_rule: RuleRef, _index: number, type: string, effect: Outcome | undefined): void {
    this.rules.at(-1)?.actions.push({ type, outcome: effect ? describe(effect) : 'the rules go on' })
  }
}

function describe(outcome: Outcome): Json {
  if (outcome.kind === 'respond') return { answers_with: outcome.status }
  return outcome.kind === 'forward' ? { hands_over_to: outcome.url } : 'closes the connection'
}

/** Values of expressions and results as JSON. */
function toJson(value: unknown): Json {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), toJson(item)]))
  if (Array.isArray(value)) return value.map(toJson)
  return toJsonValue((typeof value === 'undefined' ? null : value) as CelValue)
}

function pairs(raw: readonly string[]): (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? ''] as const)
}
