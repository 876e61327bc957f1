import { type ReactNode, useMemo, useState } from 'react'
import {
  Cell,
  Collection,
  Column,
  Input,
  Label,
  Row,
  SearchField,
  type SortDescriptor,
  Table,
  TableBody,
  TableHeader,
  TableLayout,
  TableLoadMoreItem,
  Virtualizer,
} from 'react-aria-components'
import type { Resource } from '../api/listing.ts'

export interface DataColumn<T> {
  readonly id: string
  readonly title: string
  /** What sorting and searching use. */
  readonly text: (item: T) => string
  readonly cell?: (item: T) => ReactNode
  /** In pixels; columns without share the rest. */
  readonly width?: number
}

interface Props<T> {
  readonly label: string
  readonly items: readonly T[]
  readonly columns: readonly DataColumn<T>[]
  readonly href?: (item: T) => string
  readonly filters?: ReactNode
  /** More items are on their way. */
  readonly isPartial?: boolean
}

const rowHeight = 44
const flexibleMinWidth = 190
/** Tables of up to this many rows are read at a glance. */
const searchedFrom = 7
/** Rows that the component library gets to know at a time; what it does with each takes longer than to draw those in view. */
const rowsAtATime = 50

/** Search, sort, and rows that are only prepared when somebody scrolls to them, so that 10,000 of them stay quick. */
export function DataTable<T extends Resource>({ label, items, columns, href, filters, isPartial }: Props<T>) {
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState<SortDescriptor | undefined>()
  const [known, setKnown] = useState(rowsAtATime)
  const texts = useMemo(() => searchTexts(items, columns), [items, columns])
  const rows = useMemo(
    () => sorted(matching(items, texts, search), columns, sort),
    [items, texts, search, columns, sort],
  )
  const searchFor = (text: string) => {
    setSearch(text)
    setKnown(rowsAtATime)
  }
  const height = Math.min(rows.length, 14) * rowHeight + 46
  return (
    <>
      <div className="toolbar" hidden={filters === undefined && items.length <= searchedFrom}>
        <SearchField className="search" value={search} onChange={searchFor}>
          <Label>Search</Label>
          <Input placeholder="Any text in the table" />
        </SearchField>
        {filters}
        <output className="muted">{isPartial === true ? 'Reading more…' : countText(rows.length, items.length)}</output>
      </div>
      <Virtualizer layout={TableLayout} layoutOptions={{ rowHeight, headingHeight: 44 }}>
        <Table aria-label={label} className="table" sortDescriptor={sort} onSortChange={setSort} style={{ height }}>
          <TableHeader columns={columns}>
            {(column) => (
              <Column
                isRowHeader={column === columns[0]}
                allowsSorting
                width={column.width ?? '1fr'}
                minWidth={column.width ?? flexibleMinWidth}
              >
                {column.title}
              </Column>
            )}
          </TableHeader>
          <TableBody renderEmptyState={() => <p className="muted nothing">Nothing matches.</p>}>
            <Collection items={rows.slice(0, known)}>
              {(item) => (
                <Row columns={columns} href={href?.(item)}>
                  {(column) => (
                    <Cell>{column.cell === undefined ? clipped(column.text(item)) : column.cell(item)}</Cell>
                  )}
                </Row>
              )}
            </Collection>
            {known < rows.length && <TableLoadMoreItem onLoadMore={() => setKnown(known + rowsAtATime)} />}
          </TableBody>
        </Table>
      </Virtualizer>
    </>
  )
}

/** A long text is cut at the end of its column, and whole on hover. */
function clipped(text: string): ReactNode {
  return <span title={text}>{text}</span>
}

/** What is searched of each item. */
function searchTexts<T>(items: readonly T[], columns: readonly DataColumn<T>[]): readonly string[] {
  return items.map((item) =>
    columns
      .map((column) => column.text(item))
      .join('\n')
      .toLowerCase(),
  )
}

function matching<T>(items: readonly T[], texts: readonly string[], search: string): readonly T[] {
  const wanted = search.trim().toLowerCase()
  return wanted === '' ? items : items.filter((_, index) => texts[index]?.includes(wanted))
}

function sorted<T>(
  items: readonly T[],
  columns: readonly DataColumn<T>[],
  sort: SortDescriptor | undefined,
): readonly T[] {
  const column = columns.find(({ id }) => id === sort?.column)
  if (column === undefined) return items
  const keyed = items.map((item) => ({ item, key: column.text(item) }))
  keyed.sort((a, b) => collator.compare(a.key, b.key))
  if (sort?.direction === 'descending') keyed.reverse()
  return keyed.map(({ item }) => item)
}

const collator = new Intl.Collator(undefined, { numeric: true })

function countText(shown: number, all: number): string {
  return shown === all ? `${all} in all` : `${shown} of ${all}`
}
