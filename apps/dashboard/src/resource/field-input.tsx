import { useCollection } from '../api/queries.ts'
import type { Resource } from '../api/collection.ts'
import { Choice, Switch, TextField } from '../ui/field.tsx'
import { KeyValues, type Pairs } from '../ui/key-values.tsx'
import { ChoiceOfMany } from '../ui/choice-of-many.tsx'
import type { FieldValue } from './form-values.ts'
import type { FieldSpec } from './resource-view.ts'

interface Props {
  readonly field: FieldSpec
  readonly value: FieldValue
  readonly onChange: (value: FieldValue) => void
}

/** The input for one field of a resource. */
export function FieldInput({ field, value, onChange }: Props) {
  const common = {
    label: field.label,
    onChange,
    ...(field.hint === undefined ? {} : { hint: field.hint }),
    ...(field.isRequired === undefined ? {} : { isRequired: field.isRequired }),
  }
  switch (field.kind) {
    case 'switch':
      return <Switch label={field.label} isOn={value === true} onChange={onChange} />
    case 'map':
      return <KeyValues legend={field.label} pairs={value as Pairs} onChange={onChange} />
    case 'lines':
      return <TextField {...common} value={value as string} rows={4} hint={field.hint ?? 'One per line.'} />
    case 'number':
      return <TextField {...common} value={value as string} />
    case 'choice':
      return <Choice {...common} value={value as string} options={field.options} />
    case 'reference':
      return <ReferenceInput field={field} value={value} onChange={onChange} />
    case 'text':
      return (
        <TextField
          {...common}
          value={value as string}
          {...(field.rows === undefined ? {} : { rows: field.rows })}
          {...(field.maxBytes === undefined ? {} : { maxBytes: field.maxBytes })}
        />
      )
  }
}

interface ReferenceProps extends Props {
  readonly field: Extract<FieldSpec, { kind: 'reference' }>
}

function ReferenceInput({ field, value, onChange }: ReferenceProps) {
  const { data = [] } = useCollection<Resource & { domain?: string; name?: string }>(field.to)
  const options = data.map((item) => ({ id: item.id, label: item.name ?? item.domain ?? item.description ?? item.id }))
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
      {...(field.hint === undefined ? {} : { hint: field.hint })}
    />
  )
}
