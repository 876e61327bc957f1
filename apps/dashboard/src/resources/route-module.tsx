import { useChange } from '../api/queries.ts'
import { ResourceForm } from '../resource/resource-form.tsx'
import type { FieldSpec } from '../resource/resource-view.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/notice.tsx'

interface Props {
  readonly title: string
  readonly label: string
  readonly path: string
  readonly isSet: boolean
  readonly source: Readonly<Record<string, unknown>>
  readonly fields: readonly FieldSpec[]
}

/** Replaces or removes one module of a route. */
export function RouteModule({ title, label, path, isSet, source, fields }: Props) {
  const change = useChange()
  return (
    <Dialog title={title} trigger={<Button look="quiet">{label}</Button>}>
      {(close) => (
        <>
          <ResourceForm
            fields={fields}
            method="PUT"
            path={path}
            source={source}
            submitLabel="Save"
            onDone={close}
            onCancel={close}
          />
          {isSet && (
            <Button look="danger" onPress={() => change.mutate({ method: 'DELETE', path }, { onSuccess: close })}>
              Remove from the route
            </Button>
          )}
          <ErrorNotice error={change.error} />
        </>
      )}
    </Dialog>
  )
}
