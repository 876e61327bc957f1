import type { Envelope } from '../store/record-store.ts'
import type { Labels } from './labels.ts'
import type { PolicyDocument } from './policy.ts'
import { parseUpstreamAddress } from './upstream-address.ts'

export const tunnelProtocols = ['http', 'https', 'tcp', 'tls'] as const
export type TunnelProtocol = (typeof tunnelProtocols)[number]

/** A tunnel that shall exist: what the store keeps, whether or not it is online just now. */
export interface TunnelRecord {
  readonly id: string
  /** Public; `labels:…` for a tunnel that is only reached through groups. */
  readonly url: string
  readonly protocol: TunnelProtocol
  /** The caller's text; `parseUpstreamAddress` reads it. */
  readonly forwardsTo: string
  /** The public host; empty for a tunnel without one. */
  readonly domain: string
  /** False when the service chose the host: it finds it again by the record's id, so that the tunnel keeps its url. */
  readonly isDomainChosen: boolean
  /** Null for a tunnel with an address of its own. */
  readonly labels: Labels | null
  /** Null: none. Raw tunnels have one only when it was given: the default one is for HTTP. */
  readonly policy: PolicyDocument | null
}

/** Reads the store's content. @throws Error when it is not one of ours */
export function parseTunnelEnvelope(json: unknown): Envelope<TunnelRecord> {
  const { version, records } = json as Partial<Envelope<TunnelRecord>>
  if (version !== 1 || !Array.isArray(records) || !records.every(isTunnelRecord)) throw new Error('not a tunnel store')
  // Records of earlier versions know no labels.
  return { version, records: records.map((record) => ({ ...record, labels: record.labels ?? null })) }
}

function isTunnelRecord(value: unknown): value is TunnelRecord {
  const record = value as Partial<TunnelRecord> | null
  const texts = [record?.id, record?.url, record?.forwardsTo, record?.domain]
  return (
    texts.every((text) => typeof text === 'string') &&
    typeof record?.isDomainChosen === 'boolean' &&
    isUpstreamAddress(record.forwardsTo ?? '') &&
    URL.canParse(record.url ?? '') &&
    tunnelProtocols.some((protocol) => protocol === record.protocol) &&
    isLabels(record.labels ?? null) &&
    typeof record.policy === 'object'
  )
}

function isUpstreamAddress(text: string): boolean {
  try {
    return parseUpstreamAddress(text).port > 0
  } catch {
    return false
  }
}

function isLabels(labels: unknown): boolean {
  return typeof labels === 'object' && Object.values(labels ?? {}).every((value) => typeof value === 'string')
}
