import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Resource } from '../api/listing.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Secret } from '../ui/secret.tsx'
import { ResourceForm } from './resource-form.tsx'
import type { ResourceView } from './resource-view.ts'

/** Creates one; a secret in the reply is shown before the dialog can be left, otherwise the new thing's page opens. */
export function CreateDialog<T extends Resource>({ view }: { readonly view: ResourceView<T> }) {
  return (
    <Dialog title={`New ${view.singular}`} trigger={<Button look="primary">New {view.singular}</Button>}>
      {(close, hold) => <CreateSteps view={view} close={close} hold={hold} />}
    </Dialog>
  )
}

interface StepsProps<T extends Resource> {
  readonly view: ResourceView<T>
  readonly close: () => void
  readonly hold: () => void
}

function CreateSteps<T extends Resource>({ view, close, hold }: StepsProps<T>) {
  const navigate = useNavigate()
  const [secret, setSecret] = useState<string | null>(null)
  const onDone = (reply: object) => {
    const fields = new Map(Object.entries(reply))
    const shown: unknown = view.secretField && fields.get(view.secretField)
    if (typeof shown === 'string') return (setSecret(shown), hold())
    close()
    void navigate(`/${view.page}/${String(fields.get('id'))}`)
  }
  if (secret !== null)
    return (
      <>
        <Secret name={`The new ${view.singular}`} value={secret} />
        {view.secretUse?.(secret)}
        <footer className="dialog-footer">
          <Button look="primary" onPress={close}>
            I have copied it
          </Button>
        </footer>
      </>
    )
  return (
    <ResourceForm
      fields={view.fields}
      source={null}
      save={(body) => view.listing.create(body)}
      submitLabel={`Create ${view.singular}`}
      onDone={onDone}
      onCancel={close}
    />
  )
}
