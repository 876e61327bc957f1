import type { EdgeModuleName } from '@tunnel/models'

/**
 * The modules that the edge carries out. Any other is refused, since storing it would promise what nobody does.
 * Before `webhook_verification` joins them, its secret must be sealed instead of standing in the body of the route.
 */
export const actingModules: ReadonlySet<EdgeModuleName> = new Set<EdgeModuleName>(['backend', 'ip_restriction'])
