import { isAclRule } from '@tunnel/models'
import type { Pairs } from '../ui/key-values.tsx'

/** What a rule of an authtoken can say, in the words of the builder. */
export const ruleKinds = [
  { id: 'name', label: 'This name', example: 'app.example.com' },
  { id: 'below', label: 'All names below', example: 'site-a.example.com' },
  { id: 'label', label: 'Tunnels with label', example: 'site=a' },
  { id: 'everything', label: 'Everything', example: '' },
] as const

type RuleKind = (typeof ruleKinds)[number]['id']

/** `bind:*.example.com` as the pair of its kind and value. */
export function fromRule(rule: string): Pairs[number] {
  const value = rule.replace(/^bind:/, '')
  if (value === '*') return ['everything', '']
  if (value.startsWith('*.')) return ['below', value.slice(2)]
  return [value.includes('=') ? 'label' : 'name', value]
}

export function toRule([kind, value]: Pairs[number]): string {
  const text = value.trim()
  switch (kind as RuleKind) {
    case 'everything':
      return '*'
    case 'below':
      return `bind:*.${text}`
    case 'name':
    case 'label':
      return `bind:${text}`
  }
}

/** Why the service would refuse the rule, or null. */
export function ruleProblem(pair: Pairs[number]): string | null {
  const [kind, value] = pair
  if (kind === 'label' && !value.includes('=')) return 'A label is written as name=value.'
  return isAclRule(toRule(pair)) ? null : 'This is not a name, a name with a port, or a label.'
}
