import { type ErrorReason, type ResourceModel, ServiceError, idPrefix } from '@tunnel/models'

/** An id in a body that must be one of an existing resource of the account. */
export interface Reference {
  /** The body field that holds it, for the error. */
  readonly field: string
  readonly id: string
  /** The types that it may have. */
  readonly to: readonly Pick<ResourceModel, 'prefix'>[]
  /** The error when there is no such resource; its text may name `{field}` and `{id}`. */
  readonly missing: ErrorReason
}

/** Reads `id` in `field` as a reference to one of the given types. */
export function referenceTo(
  field: string,
  id: string,
  to: Reference['to'],
  missing: ErrorReason = 'reference_missing',
): Reference {
  return { field, id, to, missing }
}

/** Throws for the first reference that is malformed or of a wrong type. */
export function checkPrefixes(references: readonly Reference[]): void {
  for (const { field, id, to } of references) {
    const prefixes = to.map((model) => model.prefix)
    const prefix = idPrefix(id)
    const shown = id.slice(0, 80)
    if (prefix === null) throw new ServiceError('reference_malformed', { field, id: shown })
    if (!prefixes.includes(prefix))
      throw new ServiceError(wrongPrefixReason(prefixes), {
        field,
        id: shown,
        prefixes: prefixes.map((p) => `${p}_`).join(', '),
      })
  }
}

export function referenceMissing({ field, id, missing }: Reference): ServiceError {
  return new ServiceError(missing as 'reference_missing', { field, id })
}

/** Clients tell these apart by number. */
function wrongPrefixReason(prefixes: readonly string[]) {
  if (prefixes.some((prefix) => prefix.startsWith('bkd'))) return 'backend_id_wrong'
  if (prefixes.length > 1) return 'reference_prefixes_wrong'
  if (prefixes[0] === 'ca') return 'certificate_authority_id_wrong'
  return prefixes[0] === 'ipp' ? 'ip_policy_id_wrong' : 'reference_prefix_wrong'
}
