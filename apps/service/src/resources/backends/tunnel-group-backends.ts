import {
  ServiceError,
  type TunnelGroupBackend,
  labelKeyMaxBytes,
  labelValueMaxBytes,
  labelsMax,
  tunnelGroupBackendModel,
  tunnelModel,
} from '@tunnel/models'
import { type ResourceDefinition, defineResource } from '../kernel/definition.ts'
import { refTo } from '../kernel/refs.ts'

export type TunnelGroupBody = Pick<TunnelGroupBackend, 'description' | 'metadata' | 'labels'>

/** Finds tunnels online by their labels. */
export interface LabeledTunnels {
  /** Ids of the account's tunnels whose labels contain all of the given ones. */
  withLabels(accountId: string, labels: Readonly<Record<string, string>>): readonly string[]
}

export function tunnelGroupBackends(
  tunnels: LabeledTunnels,
): ResourceDefinition<typeof tunnelGroupBackendModel, TunnelGroupBody> {
  return defineResource<typeof tunnelGroupBackendModel, TunnelGroupBody>({
    model: tunnelGroupBackendModel,
    create: ({ labels = {}, ...texts }) => ({ body: { ...texts, labels: checkedLabels(labels) } }),
    update: (body, { labels = body.labels, ...changes }) => ({ ...body, ...changes, labels: checkedLabels(labels) }),
    reply: ({ body, accountId }, call) => ({
      ...body,
      tunnels: tunnels.withLabels(accountId, body.labels).map((id) => refTo(call, id, tunnelModel)),
    }),
    inUse: 'backend_in_use',
  })
}

function checkedLabels(labels: Record<string, string>): Record<string, string> {
  const entries = Object.entries(labels)
  if (entries.length > labelsMax) throw new ServiceError('labels_too_many', { max: labelsMax, count: entries.length })
  for (const [key, value] of entries) checkLabel(key, value)
  return labels
}

function checkLabel(key: string, value: string): void {
  const shown = key.slice(0, 80)
  if (!isWithin(key, labelKeyMaxBytes))
    throw new ServiceError('label_key_length', { key: shown, max: labelKeyMaxBytes })
  if (!isWithin(value, labelValueMaxBytes))
    throw new ServiceError('label_value_length', { key: shown, max: labelValueMaxBytes })
  if (key.includes('=') || value.includes('=')) throw new ServiceError('label_with_equals', { key: shown })
}

function isWithin(text: string, maxBytes: number): boolean {
  return text !== '' && Buffer.byteLength(text) <= maxBytes
}
