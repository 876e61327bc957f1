import { useListing } from '../api/queries.ts'
import { ChoiceOfMany } from '../ui/choice-of-many.tsx'
import { Choice, Switch, TextField } from '../ui/field.tsx'
import { KeyValues, type Pairs } from '../ui/key-values.tsx'
import { AclInput } from './acl-input.tsx'
import type { FieldValue } from './form-values.ts'
import { resourceName } from './resource-name.ts'
import type { FieldSpec } from './resource-view.ts'

interface Props {
  readonly field: FieldSpec
  readonly value: FieldValue
  readonly onChange: (value: FieldValue) => void
}

/** The input for one field of a resource. */
export function FieldInput({ field, value, onChange }: Props) {
  const { label, hint, isRequired } = field
  const common = { label, onChange, ...(hint && { hint }), ...(isRequired && { isRequired }) }
  switch (field.kind) {
    case 'switch':
      return <Switch label={label} isOn={value === true} onChange={onChange} />
    case 'map':
      return <KeyValues legend={label} pairs={value as Pairs} onChange={onChange} />
    case 'weights':
      return <WeightsInput field={field} value={value} onChange={onChange} />
    case 'acl':
      return <AclInput label={label} rules={value as Pairs} onChange={onChange} />
    case 'lines':
      return <TextField {...common} value={value as string} rows={4} hint={hint ?? 'One per line.'} />
    case 'json':
      return <TextField {...common} value={value as string} rows={10} hint={hint ?? 'JSON.'} />
    case 'number':
      return <TextField {...common} value={value as string} inputMode="decimal" />
    case 'choice':
      return <Choice {...common} value={value as string} options={field.options} />
    case 'reference':
      return <ReferenceInput field={field} value={value} onChange={onChange} />
    case 'text': {
      const { rows, maxBytes } = field
      return <TextField {...common} value={value as string} {...(rows && { rows })} {...(maxBytes && { maxBytes })} />
    }
  }
}

interface WeightsProps extends Props {
  readonly field: Extract<FieldSpec, { kind: 'weights' }>
}

function WeightsInput({ field, value, onChange }: WeightsProps) {
  const { data = [] } = useListing(field.to)
  return (
    <KeyValues
      legend={field.label}
      pairs={value as Pairs}
      onChange={onChange}
      keyName="Backend"
      keyOptions={data.map((item) => ({ id: item.id, label: resourceName(item) }))}
      valueName="Weight"
    />
  )
}

interface ReferenceProps extends Props {
  readonly field: Extract<FieldSpec, { kind: 'reference' }>
}

function ReferenceInput({ field, value, onChange }: ReferenceProps) {
  const { data = [], isPending } = useListing(field.to)
  const options = data.map((item) => ({ id: item.id, label: resourceName(item) }))
  if (field.isMany === true)
    return (
      <ChoiceOfMany label={field.label} options={options} chosen={value as readonly string[]} onChange={onChange} />
    )
  return (
    <Choice
      label={field.label}
      value={value as string}
      onChange={onChange}
      options={options}
      isRequired={field.isRequired ?? false}
      {...(options.length === 0 && { placeholder: isPending ? 'Loading…' : 'There are none yet' })}
      {...(field.hint && { hint: field.hint })}
    />
  )
}
