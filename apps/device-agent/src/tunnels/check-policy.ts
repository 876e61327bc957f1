import type { Problem } from '@tunnel/policy-engine'
import { ServiceError } from '@tunnel/models'
import { parsePolicy, type PolicyDocument } from './policy.ts'
import type { TunnelProtocol } from './tunnel-record.ts'

/** A caller's policy that cannot run, with everything that is wrong with it. */
export class PolicyInvalidError extends Error {
  override readonly name = 'PolicyInvalidError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super('The policy is not valid.')
    this.problems = problems
  }
}

/**
 * Checks a policy as the service will, before anything is bound or stored.
 * @throws PolicyInvalidError for a policy that a caller gave
 * @throws ServiceError `policy_file_unusable` for the default policy: publishing without it would open what it protects
 */
export async function checkPolicy(policy: PolicyDocument, protocol: TunnelProtocol, isDefault: boolean): Promise<void> {
  if (Object.keys(policy).length === 0) return
  // Loaded when it is needed: an agent whose tunnels are all made never pays for it.
  const { compilePolicy, validatingHost } = await import('@tunnel/policy-engine')
  // Which hosts of its own network the service lets policies reach is known there alone.
  const host = { ...validatingHost, allowsPrivateHost: () => true }
  const result = compilePolicy(policy, { protocol: protocol === 'https' ? 'http' : protocol, host })
  if (result.ok) return
  const error = new PolicyInvalidError(result.problems)
  throw isDefault ? new ServiceError('policy_file_unusable', {}, { cause: error }) : error
}

/** The policy that a text holds. Throws PolicyInvalidError when it is no JSON object. */
export function readPolicyText(text: string): PolicyDocument {
  try {
    return parsePolicy(JSON.parse(text))
  } catch {
    throw new PolicyInvalidError([{ path: '$', code: 'bad_document', message: 'the text is not a JSON object' }])
  }
}
