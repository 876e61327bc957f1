import type { ReactNode } from 'react'
import type { EditableListing, Listing, Resource } from '../api/listing.ts'
import type { DataColumn } from '../ui/data-table.tsx'
import type { Example } from './api-command.tsx'

/** One input of a form and the body field that it fills. */
export type FieldSpec = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly isRequired?: boolean
  /** Fields that are set at creation only are not offered when editing. */
  readonly isFixed?: boolean
} & (
  | { readonly kind: 'text'; readonly rows?: number; readonly maxBytes?: number }
  | { readonly kind: 'lines' | 'number' | 'map' | 'json' | 'acl' }
  | { readonly kind: 'weights'; readonly to: Listing<Resource> }
  | { readonly kind: 'switch'; readonly initially: boolean }
  | { readonly kind: 'choice'; readonly options: readonly { readonly id: string; readonly label: string }[] }
  | {
      readonly kind: 'reference'
      readonly to: Listing<Resource>
      readonly isMany?: boolean
      readonly readFrom?: string
    }
)

/** Everything that the list page and the detail page of one kind of resource show. */
export interface ResourceView<T extends Resource> {
  readonly listing: EditableListing<T>
  /** Path of the pages, below the dashboard. */
  readonly page: string
  readonly title: string
  readonly singular: string
  readonly intro: ReactNode
  /** What to do while there are none: in words, and as a call of the API or another command. */
  readonly empty: { readonly text: ReactNode } & ({ readonly example: Example } | { readonly more: ReactNode })
  readonly nameOf: (item: T) => string
  readonly columns: readonly DataColumn<T>[]
  readonly fields: readonly FieldSpec[]
  readonly details: (item: T) => readonly (readonly [string, ReactNode])[]
  readonly more?: (item: T) => ReactNode
  readonly deleteConsequence: (item: T) => ReactNode
  /** Name of the reply field that holds a secret, present in the reply to creation only. */
  readonly secretField?: string
  /** How to use the secret, shown below it. */
  readonly secretUse?: (secret: string) => ReactNode
}

/** The two fields that nearly every resource has. */
export const commonFields: readonly FieldSpec[] = [
  { kind: 'text', name: 'description', label: 'Description', maxBytes: 255, hint: 'For people. At most 255 bytes.' },
  {
    kind: 'text',
    name: 'metadata',
    label: 'Metadata',
    rows: 3,
    maxBytes: 4096,
    hint: 'For machines. At most 4096 bytes.',
  },
]
