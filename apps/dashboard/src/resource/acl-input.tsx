import { Button } from '../ui/button.tsx'
import { Choice, TextField } from '../ui/field.tsx'
import type { Pairs } from '../ui/key-values.tsx'
import { ruleKinds, ruleProblem, toRule } from './acl-rules.ts'

interface Props {
  readonly label: string
  readonly rules: Pairs
  readonly onChange: (rules: Pairs) => void
}

/** Builds the access rules of an authtoken, and shows each as the API will get it. */
export function AclInput({ label, rules, onChange }: Props) {
  const replace = (index: number, rule: Pairs[number]) => onChange(rules.map((old, at) => (at === index ? rule : old)))
  return (
    <fieldset className="pairs">
      <legend>{label}</legend>
      {rules.length === 0 && <p className="muted">No rule: the agent may bind every name of this account.</p>}
      {rules.map((rule, index) => (
        <Rule
          key={index}
          rule={rule}
          onChange={(next) => replace(index, next)}
          onRemove={() => onChange(rules.filter((_, at) => at !== index))}
        />
      ))}
      <Button onPress={() => onChange([...rules, ['name', '']])}>Add a rule</Button>
    </fieldset>
  )
}

interface RuleProps {
  readonly rule: Pairs[number]
  readonly onChange: (rule: Pairs[number]) => void
  readonly onRemove: () => void
}

function Rule({ rule, onChange, onRemove }: RuleProps) {
  const [kind, value] = rule
  const problem = ruleProblem(rule)
  const example = ruleKinds.find(({ id }) => id === kind)?.example ?? ''
  return (
    <div className="rule">
      <div className="pair">
        <Choice label="May bind" value={kind} onChange={(next) => onChange([next, value])} options={ruleKinds} />
        {kind !== 'everything' && (
          <TextField
            label={kind === 'label' ? 'Label' : 'Name'}
            value={value}
            onChange={(next) => onChange([kind, next])}
            placeholder={example}
            validate={() => problem}
          />
        )}
        <Button look="quiet" aria-label={`Remove the rule ${toRule(rule)}`} onPress={onRemove}>
          Remove
        </Button>
      </div>
      <p className="muted">{value !== '' && problem !== null ? problem : <code>{toRule(rule)}</code>}</p>
    </div>
  )
}
