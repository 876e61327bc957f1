export { CidrSet, isCidr, isInCidr } from './net/cidr-set.ts'
export { isPublicAddress } from './net/public-address.ts'
export { patternProblem, UserAgentFilter } from './expressions/user-agent-filter.ts'
export { isConnectionField } from './actions/header-rules.ts'
export { webhookProviders } from './actions/webhook-providers.ts'
export { type CompileOptions, type CompileResult, compilePolicy } from './compile/compile-policy.ts'
export type { Problem, ProblemCode, TextPosition, Warning } from './document/problem.ts'
export type { PolicyProtocol } from './document/rules.ts'
export type { ConnectionFacts, EndpointFacts } from './message/connection.ts'
export type { RequestFacts } from './message/request-message.ts'
export type { ContentCoding, ResponseFacts } from './message/response-message.ts'
export type { Outcome } from './run/outcome.ts'
export { Policy } from './run/policy.ts'
export type { ExchangeFacts, PolicyExchange } from './run/policy-exchange.ts'
export {
  type IpPolicy,
  type PolicyHost,
  type PolicyObserver,
  type PolicyTrace,
  type RuleRef,
  validatingHost,
} from './run/policy-host.ts'
export { PolicySample } from './try/sample.ts'
export { type RuleTrial, type SampleTrial, tryPolicy } from './try/try-policy.ts'
