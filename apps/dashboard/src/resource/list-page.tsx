import type { Resource } from '../api/listing.ts'
import { useListing } from '../api/queries.ts'
import { DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'
import { ApiCommand } from './api-command.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { inSentence } from './in-sentence.ts'
import type { ResourceView } from './resource-view.ts'

/** All resources of one kind. */
export function ListPage<T extends Resource>({ view }: { readonly view: ResourceView<T> }) {
  const { data, error } = useListing(view.listing)
  return (
    <Page title={view.title} intro={view.intro} actions={<CreateDialog view={view} />}>
      <ErrorNotice error={error} />
      {data?.length === 0 && (
        <Empty title={`No ${inSentence(view.title)} yet`}>
          <p>{view.empty.text}</p>
          {'more' in view.empty ? (
            view.empty.more
          ) : (
            <ApiCommand path={view.listing.path} example={view.empty.example} />
          )}
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <DataTable label={view.title} items={data} columns={view.columns} href={(item) => `/${view.page}/${item.id}`} />
      )}
    </Page>
  )
}
