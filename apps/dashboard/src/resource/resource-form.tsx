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
  readonly method: 'POST' | 'PATCH' | 'PUT'
  readonly path: string
  /** The resource that is edited; null creates one. */
  readonly source: Readonly<Record<string, unknown>> | null
  readonly submitLabel: string
  readonly onDone: (reply: Record<string, unknown>) => void
  readonly onCancel?: () => void
}

/** A form for the fields of a resource; the API's own message appears when it refuses. */
export function ResourceForm({ fields, method, path, source, submitLabel, onDone, onCancel }: Props) {
  const offered = source === null ? fields : fields.filter((field) => field.isFixed !== true)
  const [before] = useState(() => initialValues(offered, source))
  const [values, setValues] = useState(before)
  const change = useChange<Record<string, unknown>>()
  const submit = () =>
    change.mutate(
      { method, path, body: toBody(offered, values, method === 'PATCH' ? before : null) },
      { onSuccess: onDone },
    )
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
