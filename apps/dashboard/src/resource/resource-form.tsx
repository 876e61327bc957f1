import { useState } from 'react'
import { Form } from 'react-aria-components'
import { useChange } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { FieldInput } from './field-input.tsx'
import { initialValues, toBody } from './form-values.ts'
import type { FieldSpec } from './resource-view.ts'

interface Props {
  readonly fields: readonly FieldSpec[]
  /** What the form shows at first; null for nothing. */
  readonly source: object | null
  /** Sends only the fields that differ from the source. */
  readonly isPatch?: boolean
  readonly save: (body: Record<string, unknown>) => Promise<object>
  readonly submitLabel: string
  readonly onDone: (reply: object) => void
  readonly onCancel?: () => void
}

/** A form for the fields of a resource; the API's own message appears when it refuses. */
export function ResourceForm({ fields, source, isPatch = false, save, submitLabel, onDone, onCancel }: Props) {
  const offered = isPatch ? fields.filter((field) => field.isFixed !== true) : fields
  const [before] = useState(() => initialValues(offered, source as Readonly<Record<string, unknown>> | null))
  const [values, setValues] = useState(before)
  const change = useChange<object>()
  const submit = () =>
    // Async, so that a value that cannot be sent shows as an error as well.
    change.mutate(async () => save(toBody(offered, values, isPatch ? before : null)), { onSuccess: onDone })
  return (
    <Form onSubmit={(event) => (event.preventDefault(), submit())}>
      {offered.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          onChange={(value) => setValues((old) => ({ ...old, [field.name]: value }))}
        />
      ))}
      <ErrorNotice error={change.error} />
      <footer className="dialog-footer">
        {onCancel !== undefined && <Button onPress={onCancel}>Cancel</Button>}
        <Button look="primary" type="submit" isPending={change.isPending}>
          {submitLabel}
        </Button>
      </footer>
    </Form>
  )
}
