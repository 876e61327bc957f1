import type { EdgeModuleName } from '@tunnel/models'
import type { ActingModules } from './edge-module-sets.ts'

const names = (...list: EdgeModuleName[]): ReadonlySet<EdgeModuleName> => new Set(list)

/** The modules that the edge carries out. Any other is refused, since storing it would promise what nobody does. */
export const actingModules: ActingModules = {
  edges: names('backend', 'ip_restriction', 'policy', 'traffic_policy'),
  routes: names(
    'backend',
    'ip_restriction',
    'user_agent_filter',
    'webhook_verification',
    'compression',
    'response_headers',
    'request_headers',
    'policy',
    'traffic_policy',
    'circuit_breaker',
  ),
}
