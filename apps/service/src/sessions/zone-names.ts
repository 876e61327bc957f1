import { ServiceError } from '@tunnel/models'

/** Decides which account may publish under a name. */
export interface NameAuthority {
  /** `name` is lower-case and may be a wildcard. Throws `ServiceError` when the account may not use it. */
  authorise(accountId: string, name: string): Promise<void>
}

/**
 * The names of the service's own domain: every one below it is free for whoever binds it first, except those that the service
 * uses itself, and the wildcard over all.
 */
export function zoneNames(zone: string, ownLabels: readonly string[]): NameAuthority {
  const suffix = `.${zone}`
  return {
    authorise(_accountId, name) {
      const topLabel = name.endsWith(suffix) ? name.slice(0, -suffix.length).split('.').at(-1) : undefined
      if (topLabel !== undefined && topLabel !== '*' && !ownLabels.includes(topLabel)) return Promise.resolve()
      return Promise.reject(new ServiceError('bind_name_not_reserved', { name, zone }))
    },
  }
}
