import { Checkbox, CheckboxGroup, Label } from 'react-aria-components'

interface Props {
  readonly label: string
  readonly options: readonly { readonly id: string; readonly label: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

export function ChoiceOfMany({ label, options, chosen, onChange }: Props) {
  return (
    <CheckboxGroup className="field" value={[...chosen]} onChange={onChange}>
      <Label>{label}</Label>
      {options.length === 0 && <span className="muted">There are none yet.</span>}
      {options.map((option) => (
        <Checkbox key={option.id} value={option.id} className="checkbox">
          <span className="box" aria-hidden="true" />
          {option.label}
        </Checkbox>
      ))}
    </CheckboxGroup>
  )
}
