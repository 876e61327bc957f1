import {
  type CompileOptions,
  type CompileResult,
  compilePolicy,
  type PolicyProtocol,
  type PolicySample,
  type Problem,
  type SampleTrial,
  tryPolicy,
  type Warning,
} from '@tunnel/policy-engine'
import { checkingHost, type PrivateHosts } from './private-hosts.ts'
import { readPolicyText, unreadable } from './read-policy-text.ts'

/** What is wrong with a policy, or what it would do. Wire form. */
export interface PolicyReport {
  readonly valid: boolean
  readonly problems: readonly Problem[]
  readonly warnings: readonly Warning[]
  /** One for each sample; empty for a policy that is not valid. */
  readonly results: readonly SampleTrial[]
}

/** Checks a policy, given as a value or as JSON or YAML, and tries it on made-up requests. Nothing is stored, fetched or counted; limits begin at zero. */
export async function checkPolicy(
  document: unknown,
  protocol: PolicyProtocol,
  samples: readonly PolicySample[],
  privateHosts: PrivateHosts,
): Promise<PolicyReport> {
  const compiled = compile(document, { protocol, host: checkingHost(privateHosts) })
  const { warnings } = compiled
  if (!compiled.ok) return { valid: false, problems: compiled.problems, warnings, results: [] }
  const results: SampleTrial[] = []
  for (const sample of samples) results.push(await tryPolicy(compiled.policy, sample, Date.now()))
  return { valid: true, problems: [], warnings, results }
}

/** JSON stays text, so that problems have their places in it. */
function compile(document: unknown, options: CompileOptions): CompileResult {
  if (typeof document !== 'string' || /^\s*[{[]/.test(document)) return compilePolicy(document, options)
  try {
    return compilePolicy(readPolicyText(document), options)
  } catch (error) {
    return { ok: false, problems: [{ path: '$', code: 'bad_document', message: unreadable(error) }], warnings: [] }
  }
}
