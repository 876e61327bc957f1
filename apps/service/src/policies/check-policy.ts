import {
  compilePolicy,
  type PolicyProtocol,
  type PolicySample,
  type Problem,
  type SampleTrial,
  tryPolicy,
  type Warning,
} from '@tunnel/policy-engine'
import { checkingHost, type PrivateHosts } from './private-hosts.ts'

/** What is wrong with a policy, or what it would do. Wire form. */
export interface PolicyReport {
  readonly valid: boolean
  readonly problems: readonly Problem[]
  readonly warnings: readonly Warning[]
  /** One for each sample; empty for a policy that is not valid. */
  readonly results: readonly SampleTrial[]
}

/** Checks a policy and tries it on made-up requests. Nothing is stored, fetched or counted; limits begin at zero. */
export async function checkPolicy(
  document: unknown,
  protocol: PolicyProtocol,
  samples: readonly PolicySample[],
  privateHosts: PrivateHosts,
): Promise<PolicyReport> {
  const compiled = compilePolicy(document, { protocol, host: checkingHost(privateHosts) })
  const { warnings } = compiled
  if (!compiled.ok) return { valid: false, problems: compiled.problems, warnings, results: [] }
  const results: SampleTrial[] = []
  for (const sample of samples) results.push(await tryPolicy(compiled.policy, sample, Date.now()))
  return { valid: true, problems: [], warnings, results }
}
