import { readFile } from 'node:fs/promises'
import { ServiceError } from '@tunnel/models'
import { PolicySample, type Problem, type SampleTrial, type Warning } from '@tunnel/policy-engine'
import { Check, Errors } from 'typebox/value'
import { checkPolicy } from '../policies/check-policy.ts'
import { PrivateHosts } from '../policies/private-hosts.ts'
import { type Command, type CommandInput, printResult, UsageError } from './command.ts'

export const checkPolicyFile: Command = {
  name: ['policy', 'check'],
  usage: 'policy check FILE [--request FILE] [--protocol http|tcp|tls] [--json]',
  options: { request: { type: 'string' }, protocol: { type: 'string' }, json: { type: 'boolean' } },
  positionals: 1,
  async run(input) {
    const document = await readText(input.files[0] ?? '')
    const samples = await readSamples(input.values['request'])
    const privateHosts = new PrivateHosts(input.settings.policyPrivateHosts)
    const report = await checkPolicy(document, protocolOf(input), samples, privateHosts)
    const { problems, warnings, results } = report
    printResult(input, report, [
      ...findingLines('problem', problems),
      ...findingLines('warning', warnings),
      ...results.flatMap(trialLines),
      verdict(problems.length),
    ])
    const [problem] = problems
    if (problem) throw new ServiceError('policy_invalid', { path: problem.path, problem: problem.message })
  },
}

function protocolOf({ values }: CommandInput): 'http' | 'tcp' | 'tls' {
  const { protocol = 'http' } = values
  if (protocol === 'http' || protocol === 'tcp' || protocol === 'tls') return protocol
  throw new UsageError('--protocol is http, tcp or tls')
}

async function readSamples(file: CommandInput['values'][string]): Promise<PolicySample[]> {
  if (typeof file !== 'string') return []
  const samples: unknown[] = [parseJson(await readText(file), file)].flat()
  for (const sample of samples) {
    const [error] = Errors(PolicySample, sample)
    if (error) throw new UsageError(`${file}: ${error.instancePath || 'the request'} ${error.message}`)
  }
  return samples.filter((sample): sample is PolicySample => Check(PolicySample, sample))
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code})`, { cause: error })
  })
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${file} is not JSON`, { cause: error })
  }
}

function findingLines(kind: string, findings: readonly (Problem | Warning)[]): string[] {
  return findings.map(({ path, code, message, line, column }) => {
    const place = line === undefined ? '' : ` (line ${line}, column ${column})`
    return `${kind}: ${path}${place}: ${message} [${code}]`
  })
}

function trialLines({ rules, answered_by: answeredBy, request, response, error }: SampleTrial): string[] {
  const ruleLines = rules.flatMap((rule) => [
    `  ${rule.is_matched ? 'matches' : 'skipped'}: ${rule.name}`,
    ...rule.expressions.map(({ text, value, error: failure }) => `    ${text} = ${failure ?? JSON.stringify(value)}`),
    ...rule.actions.map(
      ({ type, outcome }) => `    ${type}: ${typeof outcome === 'string' ? outcome : JSON.stringify(outcome)}`,
    ),
  ])
  const sent = request && [`  upstream gets: ${request.method} ${request.url}`, ...headerLines(request.headers)]
  const got = response && [
    `  visitor gets: ${response.status_code} from the ${answeredBy}`,
    ...headerLines(response.headers),
  ]
  return [
    'request:',
    ...ruleLines,
    ...(sent ?? []),
    ...(got ?? ['  visitor gets: no answer of this tunnel']),
    ...(error === undefined ? [] : [`  stopped: ${error}`]),
  ]
}

function headerLines(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([name, value]) => `    ${name}: ${value}`)
}

function verdict(problems: number): string {
  return problems === 0
    ? 'the policy is valid'
    : `the policy has ${problems} ${problems === 1 ? 'problem' : 'problems'}`
}
