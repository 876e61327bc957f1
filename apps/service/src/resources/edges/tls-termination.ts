import { type EdgeModuleWrite, ServiceError } from '@tunnel/models'

const defaultMinVersion = '1.2'

/** Where TLS ends. An HTTPS edge always ends it itself; elsewhere a minimum version needs an end at the edge. */
export function completeTermination<M extends EdgeModuleWrite<'tls_termination'>>(
  module: M,
  edge: 'https' | 'tcp' | 'tls',
): M {
  const { terminate_at, min_version } = module
  if (edge === 'https' && (terminate_at ?? 'edge') !== 'edge') throw new ServiceError('terminate_at_unexpected')
  // Agents hold no certificates for it.
  if (terminate_at === 'agent') throw new ServiceError('termination_at_agent_not_available')
  const endsAtEdge = (terminate_at ?? 'edge') === 'edge'
  if (!endsAtEdge && min_version !== undefined) throw new ServiceError('min_version_without_termination')
  return endsAtEdge ? { ...module, min_version: min_version ?? defaultMinVersion } : module
}
