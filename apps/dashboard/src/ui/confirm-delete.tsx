import { type ReactNode, useState } from 'react'
import { Form } from 'react-aria-components'
import { useChange } from '../api/queries.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { ErrorNotice } from './notice.tsx'

interface Props {
  readonly remove: () => Promise<void>
  /** What has to be typed to confirm: a name people know the thing by. */
  readonly name: string
  readonly consequence: ReactNode
  readonly label?: string
  readonly onDeleted?: () => void
}

/** Deletes after the name was typed, and says what that will break. */
export function ConfirmDelete({ remove, name, consequence, label = 'Delete', onDeleted }: Props) {
  return (
    <Dialog title={`${label} ${name}?`} trigger={<Button look="danger">{label}</Button>}>
      {(close) => (
        <DeleteForm
          remove={remove}
          name={name}
          consequence={consequence}
          label={label}
          onDone={() => (close(), onDeleted?.())}
          onCancel={close}
        />
      )}
    </Dialog>
  )
}

interface FormProps extends Omit<Props, 'onDeleted'> {
  readonly onDone: () => void
  readonly onCancel: () => void
}

function DeleteForm({ remove, name, consequence, label, onDone, onCancel }: FormProps) {
  const [typed, setTyped] = useState('')
  const change = useChange()
  const submit = () => change.mutate(remove, { onSuccess: onDone })
  return (
    <Form onSubmit={(event) => (event.preventDefault(), submit())}>
      <p>{consequence}</p>
      <TextField label={`Type ${name} to confirm`} value={typed} onChange={setTyped} autoComplete="off" />
      <ErrorNotice error={change.error} />
      <footer className="dialog-footer">
        <Button onPress={onCancel}>Cancel</Button>
        <Button look="danger" type="submit" isDisabled={typed !== name} isPending={change.isPending}>
          {label}
        </Button>
      </footer>
    </Form>
  )
}
