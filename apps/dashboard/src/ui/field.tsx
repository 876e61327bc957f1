import type { ReactNode } from 'react'
import {
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
  Switch as AriaSwitch,
  Text,
  TextArea,
  TextField as AriaTextField,
} from 'react-aria-components'

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: ReactNode
  readonly isRequired?: boolean
}

interface TextFieldProps extends FieldProps {
  readonly type?: 'text' | 'email' | 'password'
  readonly rows?: number
  readonly autoComplete?: string
  readonly maxBytes?: number
  readonly placeholder?: string
  readonly inputMode?: 'decimal'
  /** Why the value is wrong, or null. */
  readonly validate?: (value: string) => string | null
}

export function TextField({ label, hint, rows, type = 'text', maxBytes, placeholder, ...props }: TextFieldProps) {
  const validate = props.validate ?? ((value: string) => byteLimitProblem(value, maxBytes))
  return (
    <AriaTextField className="field" type={type} {...props} validate={validate}>
      <Label>{label}</Label>
      {rows === undefined ? <Input placeholder={placeholder} /> : <TextArea rows={rows} spellCheck={false} />}
      {hint !== undefined && <Text slot="description">{hint}</Text>}
      <FieldError />
    </AriaTextField>
  )
}

function byteLimitProblem(value: string, maxBytes: number | undefined): string | null {
  if (maxBytes === undefined || new TextEncoder().encode(value).length <= maxBytes) return null
  return `At most ${maxBytes} bytes.`
}

interface ChoiceProps extends FieldProps {
  readonly options: readonly { readonly id: string; readonly label: string }[]
  /** Shown while nothing is chosen. */
  readonly placeholder?: string
}

/** Nothing can be chosen as long as there are no options. */
export function Choice({ label, value, onChange, hint, options, isRequired = false, placeholder }: ChoiceProps) {
  return (
    <Select
      className="field"
      value={value === '' ? null : value}
      onChange={(key) => onChange(String(key ?? ''))}
      isRequired={isRequired}
      isDisabled={options.length === 0}
      placeholder={placeholder ?? 'Choose one'}
    >
      <Label>{label}</Label>
      <Button className="select">
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </Button>
      {hint !== undefined && <Text slot="description">{hint}</Text>}
      <FieldError />
      <Popover className="popover">
        <ListBox items={options}>{(option) => <ListBoxItem className="option">{option.label}</ListBoxItem>}</ListBox>
      </Popover>
    </Select>
  )
}

interface SwitchProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

export function Switch({ label, isOn, onChange }: SwitchProps) {
  return (
    <AriaSwitch className="switch" isSelected={isOn} onChange={onChange}>
      <span className="track" aria-hidden="true" />
      {label}
    </AriaSwitch>
  )
}
