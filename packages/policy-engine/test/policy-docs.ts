import type { TSchema } from 'typebox'
import type { ActionDefinition, ActionExample } from '../src/actions/action.ts'
import { actionDefinitions, unavailableActions } from '../src/actions/registry.ts'
import { limits } from '../src/document/limits.ts'
import { describe } from '../src/expressions/cel-types.ts'
import { environment } from '../src/expressions/environment.ts'
import type { Phase } from '../src/expressions/exchange.ts'
import { lookupNames } from '../src/expressions/functions/lookup.ts'
import { variables } from '../src/expressions/variables.ts'
import { type SampleTrial, tryPolicy } from '../src/index.ts'
import { compile } from './harness.ts'

const phaseNames: Readonly<Record<Phase, string>> = { connect: 'connection', request: 'request', response: 'response' }
const documentKeys: Readonly<Record<Phase, string>> = {
  connect: 'on_tcp_connect',
  request: 'inbound',
  response: 'outbound',
}

/** The chapters on policies that follow from the definitions. Every example in them is run to show what it does. */
export async function policyDocs(introduction: string): Promise<string> {
  const sections: string[] = []
  for (const definition of actionDefinitions) sections.push(await actionSection(definition))
  return (
    [
      introduction.trimEnd(),
      '## Actions',
      ...sections,
      unavailableSection(),
      variableSection(),
      functionSection(),
      limitSection(),
    ].join('\n\n') + '\n'
  )
}

async function actionSection(definition: ActionDefinition): Promise<string> {
  const phases = definition.phases.map((phase) => phaseNames[phase]).join(', ')
  const failure = definition.onFailure === 'refuse' ? 'the request is refused' : 'the rules go on without it'
  const examples: string[] = []
  for (const example of definition.examples) examples.push(await exampleText(definition, example))
  return [
    `### ${definition.type}`,
    definition.summary,
    `Phases: ${phases}. When it fails, ${failure}.`,
    fieldTable(definition.config),
    ...examples,
  ].join('\n\n')
}

interface Field {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
}

function fieldTable(schema: TSchema): string {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Field>
    required?: readonly string[]
  }
  const rows = Object.entries(properties).map(([name, field]) => {
    const fallback =
      field.default === undefined ? (required.includes(name) ? 'required' : '') : `\`${JSON.stringify(field.default)}\``
    return `| \`${name}\` | ${typeOf(field)} | ${fallback} | ${field.description ?? ''} |`
  })
  if (rows.length === 0) return 'It has no fields.'
  return ['| Field | Type | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function typeOf(field: Field): string {
  const kind = field.enum ? field.enum.map((value) => `\`${String(value)}\``).join(' ') : (field.type ?? 'object')
  const from = field.minimum ?? field.minItems
  const to = field.maximum ?? field.maxItems ?? field.maxProperties
  if (from === undefined && to === undefined) return kind
  return from === undefined ? `${kind}, at most ${to}` : `${kind}, ${from} to ${to}`
}

async function exampleText(
  definition: ActionDefinition,
  { title, expressions, config, phase = 'request', sample = {} }: ActionExample,
): Promise<string> {
  const action = { type: definition.type, ...(config !== undefined && { config }) }
  const policy = { [documentKeys[phase]]: [{ name: title, expressions: expressions ?? [], actions: [action] }] }
  const trial = await tryPolicy(compile(policy), sample, Date.UTC(2026, 0, 1))
  const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``
  return [
    `Example: ${title}.`,
    fenced('json', JSON.stringify(policy, null, 2)),
    fenced('text', trialText(sample, trial)),
  ].join('\n\n')
}

function trialText(
  {
    method = 'GET',
    url = 'https://app.example.com/',
    client_ip: clientIp = '203.0.113.7',
  }: { method?: string; url?: string; client_ip?: string },
  trial: SampleTrial,
): string {
  const lines = (headers: readonly (readonly [string, string])[]) =>
    headers.map(([name, value]) => `  ${name}: ${value}`)
  const { request, response, rules } = trial
  const outcomes = rules.flatMap(({ actions }) =>
    actions.map(({ outcome }) => (typeof outcome === 'string' ? outcome : JSON.stringify(outcome))),
  )
  const sent = request ? [`upstream gets ${request.method} ${request.url}`, ...lines(request.headers)] : []
  const body = response?.body ? [`  ${response.body}`] : []
  const got = response
    ? [`visitor gets ${response.status_code}`, ...lines(response.headers), ...body]
    : [`visitor gets no answer of this tunnel: ${outcomes.at(-1)}`]
  return [`${method} ${url} from ${clientIp}`, ...sent, ...got].join('\n')
}

function unavailableSection(): string {
  const names = [...unavailableActions].map((name) => `\`${name}\``).join(', ')
  return `### Not available\n\nThese actions of other servers are refused by name (\`action_unavailable\`), never ignored: ${names}.`
}

function variableSection(): string {
  const rows = [...variables].map(
    ([name, { type, phases }]) =>
      `| \`${name}\` | ${describe(type)} | ${phases.map((phase) => phaseNames[phase]).join(', ')} |`,
  )
  return ['## Variables', ['| Name | Type | Phases |', '|---|---|---|', ...rows].join('\n')].join('\n\n')
}

function functionSection(): string {
  const own = [...environment.funcs].filter(({ name }) => /^[a-z]/i.test(name))
  const signatures = own.map(({ name, target, arguments: args, result }) => {
    const parameters = (name.startsWith('rand.') ? args.slice(1) : args).map(describe).join(', ')
    return `${target ? `${describe(target)}.` : ''}${name}(${parameters}) → ${describe(result)}`
  })
  const lookups = [...lookupNames].map(
    ([name, { target }]) => `${name}(string) → ${target === '@hasKey' ? 'bool' : 'list(dyn)'}`,
  )
  const macros = ['list(dyn).sortBy(name, key) → list(dyn)']
  const list = [...new Set([...signatures, ...lookups, ...macros])].sort(
    (a, b) => bareName(a).localeCompare(bareName(b), 'en') || a.localeCompare(b, 'en'),
  )
  return ['## Functions', `\`\`\`text\n${list.join('\n')}\n\`\`\``].join('\n\n')
}

function bareName(signature: string): string {
  return signature.replace(/\(.*$/, '').replace(/^.*\)\./, '')
}

const limitNames: Readonly<Record<keyof typeof limits, string>> = {
  documentMaxBytes: 'bytes of a policy',
  documentMaxDepth: 'levels of nesting in it',
  problemsMax: 'problems, and warnings, in one report',
  rulesPerPhaseMax: 'rules of a phase',
  expressionsPerRuleMax: 'expressions of a rule',
  actionsPerRuleMax: 'actions of a rule',
  ruleNameMaxBytes: 'bytes of the name of a rule',
  expressionMaxChars: 'characters of an expression',
  expressionMaxNodes: 'parts of an expression: names, values, operators, calls',
  bracketMaxDepth: 'brackets within brackets in an expression',
  loopMaxDepth: 'loops (`all`, `exists`, `map`, …) within each other',
  loopMaxIterations: 'turns that the loops of an expression may take together',
  patternMaxChars: 'characters of a pattern',
  templateMaxChars: 'characters of a text with `${…}`, also when it is rendered',
  templateMaxParts: 'expressions in such a text',
  headerNameMaxChars: 'characters of the name of a header',
  headerValueMaxChars: 'characters of its value',
  headersAddedMaxChars: 'characters of all headers that the rules add to a message',
}

function limitSection(): string {
  const rows = Object.entries(limits).map(
    ([name, value]) => `| ${limitNames[name as keyof typeof limits]} | ${value.toLocaleString('en')} |`,
  )
  return ['## Limits', ['| What | At most |', '|---|---|', ...rows].join('\n')].join('\n\n')
}
