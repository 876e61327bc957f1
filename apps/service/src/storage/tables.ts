import type { Kysely } from 'kysely'

/**
 * The tables, in the subset that SQLite and PostgreSQL share: text, bigint epoch milliseconds, integers, JSON as text.
 * `resources` holds every API resource as one JSON body; what the database itself must guarantee about a resource
 * (its parent, what it refers to, what must be unique) stands beside it in columns and tables of its own.
 */
export interface Tables {
  accounts: {
    id: string
    email: string
    user_id: string
    /** Null until the account gets a password; only the dashboard needs one. */
    password_hash: string | null
    created_at: number
  }
  resources: {
    id: string
    /** The id prefix of its type. */
    kind: string
    account_id: string
    /** Deleted together with this resource. */
    parent_id: string | null
    created_at: number
    /** Grows with each change; a writer states the revision that it read. */
    revision: number
    body: string
  }
  /** `from_id` cannot live without `to_id`, which therefore cannot be deleted. */
  resource_links: { from_id: string; to_id: string }
  unique_keys: { name: string; value: string; resource_id: string }
  /** Sealed private keys and the like. */
  secrets: { resource_id: string; name: string; key_id: string; sealed: string }
  /** Of the dashboard; times in epoch milliseconds. */
  sign_ins: { token_hash: string; account_id: string; expires_at: number }
  /** Sealed values of the service itself, which belong to no account. */
  service_values: { name: string; revision: number; key_id: string; sealed: string }
  /** Host names that agents serve or are expected to serve again; times in epoch milliseconds. */
  bound_names: { name: string; bound_at: number }
  /** Ids of deleted resources whose later use deserves a better answer than "unknown". */
  tombstones: { id: string; deleted_at: number }
}

export type Database = Kysely<Tables>
