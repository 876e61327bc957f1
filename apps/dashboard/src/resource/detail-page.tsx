import { Link, useNavigate, useParams } from 'react-router'
import type { Resource } from '../api/listing.ts'
import { useResource } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDelete } from '../ui/confirm-delete.tsx'
import { Details } from '../ui/details.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { inSentence } from './in-sentence.ts'
import { ResourceForm } from './resource-form.tsx'
import type { ResourceView } from './resource-view.ts'

/** One resource: its fields, edit and delete. */
export function DetailPage<T extends Resource>({ view }: { readonly view: ResourceView<T> }) {
  const { id = '' } = useParams()
  const { data, error } = useResource(view.listing, id)
  const title = data === undefined ? view.title : view.nameOf(data)
  return (
    <Page title={title} actions={data && <Actions view={view} item={data} />}>
      <ErrorNotice error={error} />
      {data === undefined && error !== null && <Link to={`/${view.page}`}>All {inSentence(view.title)}</Link>}
      {data !== undefined && (
        <>
          <Details rows={[...view.details(data), ...commonRows(data, title)]} />
          {view.more?.(data)}
        </>
      )}
    </Page>
  )
}

/** A description that is the title already is not said twice. */
function commonRows(item: Resource, title: string): [string, React.ReactNode][] {
  return [
    ...(item.description === title ? [] : [['Description', item.description] as [string, React.ReactNode]]),
    ['Metadata', item.metadata && <pre className="metadata">{item.metadata}</pre>],
    ['Created', <Time key="created" value={item.created_at} />],
    ['Id', <code key="id">{item.id}</code>],
  ]
}

interface ActionsProps<T extends Resource> {
  readonly view: ResourceView<T>
  readonly item: T
}

function Actions<T extends Resource>({ view, item }: ActionsProps<T>) {
  const navigate = useNavigate()
  return (
    <>
      <Dialog title={`Edit ${view.nameOf(item)}`} trigger={<Button>Edit</Button>}>
        {(close) => (
          <ResourceForm
            fields={view.fields}
            source={item}
            isPatch
            save={(body) => view.listing.update(item.id, body)}
            submitLabel="Save"
            onDone={close}
            onCancel={close}
          />
        )}
      </Dialog>
      <ConfirmDelete
        remove={() => view.listing.delete(item.id)}
        name={view.nameOf(item)}
        consequence={view.deleteConsequence(item)}
        onDeleted={() => void navigate(`/${view.page}`)}
      />
    </>
  )
}
