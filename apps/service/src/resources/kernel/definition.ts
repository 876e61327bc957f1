import type { CreateOf, ErrorReason, ReplyOf, ResourceModel, UpdateOf } from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import type { KeySpan, UniqueKey } from '../../storage/guards.ts'
import type { ResourceRow } from '../../storage/records.ts'
import type { Reference } from './references.ts'
import type { OlderInput } from './tolerance.ts'

/** A stored resource with its body read. */
export interface Stored<Body> {
  readonly id: string
  readonly accountId: string
  readonly parentId: string | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly body: Body
}

/** The request that changes a resource, and the id that it has or is to get. */
export interface ChangeCall extends Call {
  readonly id: string
}

/** What a create makes of its input. */
export interface Draft<Body, Reply> {
  readonly body: Body
  /** Kept sealed; read with `Resource.secret`. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Reply fields that only the reply to the creation shows, such as a token. */
  readonly shownOnce?: Partial<Reply>
}

export interface UniqueRule extends UniqueKey {
  /** The error when this account holds the value already; its text may name `{value}`. */
  readonly taken: ErrorReason
  /** The error when another account holds it. Only for values that span accounts. */
  readonly takenByOther?: ErrorReason
  /** What the error names; defaults to the value. */
  readonly shown?: string
}

/** Keys that no other account may hold as long as the resource exists. */
export interface ExclusiveRule {
  readonly spans: readonly KeySpan[]
  /** The error when another account holds one; its text may name `{value}`. */
  readonly taken: ErrorReason
  /** What the error names. */
  readonly shown: string
}

/** The parts of a body that are stored sealed, apart from it. */
export interface SealedParts<Body> {
  /** The body without its secrets, and the secrets by name. */
  take(body: Body): { readonly open: Body; readonly secrets: Readonly<Record<string, string>> }
  /** The names of the secrets that a body without them is to get back. */
  names(open: Body): readonly string[]
  put(open: Body, secrets: Readonly<Record<string, string>>): Body
}

/**
 * Everything that is special about one resource type. What is not declared here is the same for all: ids, times,
 * paging, PATCH rules, tolerance, references, uniqueness, refused deletes.
 */
export interface ResourceDefinition<M extends ResourceModel, Body extends object> {
  readonly model: M
  /** Puts what older clients send in a create into the fields of today, before they are checked. */
  modernize?(input: OlderInput): OlderInput
  /** Turns a valid body into what is stored; throws `ServiceError` for what a schema cannot express. */
  create(input: CreateOf<M>, call: ChangeCall): Draft<Body, ReplyOf<M>> | Promise<Draft<Body, ReplyOf<M>>>
  /** Applies the given fields. Without it they replace the stored ones. */
  update?(body: Body, changes: UpdateOf<M>, call: ChangeCall): Body | Promise<Body>
  /** The reply's own fields; id, uri and created_at are added. */
  reply(item: Stored<Body>, call: Call): ReplyFields<M> | Promise<ReplyFields<M>>
  readonly sealed?: SealedParts<Body>
  /** The resources that this one needs; they cannot be deleted while it exists. */
  references?(body: Body): readonly Reference[]
  /** The resource that this one belongs to and disappears with, when the body names it and not the path. */
  parent?(body: Body): Reference
  uniqueKeys?(body: Body, accountId: string): readonly UniqueRule[]
  /** Of two that exclude each other the first that is stored wins. */
  exclusive?(body: Body): ExclusiveRule
  /** The error of a delete while something refers to the resource; its text may name `{id}`, `{title}` and `{dependents}`. */
  readonly inUse?: ErrorReason
  /** Throws when the caller may not create, update or delete. */
  checkCaller?(call: Call): void
  /** A last word before a delete. */
  checkDelete?(item: Stored<Body>, call: Call): void | Promise<void>
  /** A row of another type that takes the place of a deleted resource, stored in the same transaction. */
  remains?(item: Stored<Body>, call: Call): ResourceRow | undefined
  /** `uri` is the path alone instead of the whole address. */
  readonly hasRelativeUri?: boolean
  /** Deleted ids are remembered, so that later use is told from an unknown id. */
  readonly isBuried?: boolean
}

/** What `reply` returns. */
export type ReplyFields<M extends ResourceModel> = Omit<ReplyOf<M>, 'id' | 'uri' | 'created_at'>

/** Declares a resource type; only for its type inference. */
export function defineResource<M extends ResourceModel, Body extends object>(
  definition: ResourceDefinition<M, Body>,
): ResourceDefinition<M, Body> {
  return definition
}
