import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { ErrorReason } from '../errors/catalogue.ts'
import { Time } from './fields.ts'

/** Which error a broken field rule gives, by `field` or `field:keyword`. Everything else is `field_invalid`. */
export type FieldErrors = Readonly<Record<string, ErrorReason>>

/**
 * The wire contract of one resource type. Create and update bodies accept these properties and no others; a reply has
 * `id`, `uri` and `created_at` besides its own.
 */
export interface ResourceModel<
  Create extends TProperties = TProperties,
  Update extends TProperties = TProperties,
  Reply extends TProperties = TProperties,
> {
  /** Schema name in the OpenAPI document, such as `IPPolicy`. */
  readonly name: string
  /** For people: `IP policy`. */
  readonly title: string
  /** Collection path; a nested collection names its parent as `{edge_id}`. */
  readonly path: string
  readonly prefix: string
  /** Name of the array in a list reply. */
  readonly listKey: string
  /** Type of the resource that a nested collection belongs to. */
  readonly parentPrefix: string | null
  readonly create: TObject<Create>
  readonly update: TObject<Update>
  readonly reply: TObject<Reply>
  readonly fieldErrors: FieldErrors
  /** Errors of create and update that follow from no rule of a field, for the description of the API. */
  readonly refusals: readonly ErrorReason[]
  /** The error of a PATCH that changes nothing; without it such a PATCH succeeds. */
  readonly emptyPatch: ErrorReason | null
}

interface ModelInput<C extends TProperties, U extends TProperties, R extends TProperties> {
  readonly name: string
  readonly title: string
  readonly path: string
  readonly prefix: string
  readonly listKey: string
  readonly parentPrefix?: string
  readonly create: C
  readonly update: U
  readonly reply: R
  readonly fieldErrors?: FieldErrors
  readonly refusals?: readonly ErrorReason[]
  readonly emptyPatch?: ErrorReason
}

const sampleKsuid = '2RWUhWYxiTp8Fnd3RsCCtWTF8vY'

function identity(prefix: string, path: string) {
  const id = `${prefix}_${sampleKsuid}`
  const uri = `https://api.example.com${path}/${id}`
  return { id: Type.String({ examples: [id] }), uri: Type.String({ examples: [uri] }), created_at: Time }
}

/** Declares a resource type. Schemas are closed: an unknown property is an error, and never leaks into a reply. */
export function defineModel<C extends TProperties, U extends TProperties, R extends TProperties>(
  input: ModelInput<C, U, R>,
): ResourceModel<C, U, R & ReturnType<typeof identity>> {
  const { name } = input
  return {
    fieldErrors: {},
    refusals: [],
    emptyPatch: null,
    parentPrefix: null,
    ...input,
    create: closed(input.create, `${name}Create`),
    update: closed(input.update, `${name}Update`),
    reply: closed({ ...identity(input.prefix, input.path), ...input.reply }, name),
  }
}

export type CreateOf<M extends ResourceModel> = Static<M['create']>
export type UpdateOf<M extends ResourceModel> = Static<M['update']>
export type ReplyOf<M extends ResourceModel> = Static<M['reply']>

function closed<P extends TProperties>(properties: P, $id: string): TObject<P> {
  return Type.Object(properties, { $id, additionalProperties: false })
}
