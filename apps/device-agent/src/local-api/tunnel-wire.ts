import { type Static, Type } from 'typebox'
import { readPolicyText } from '../tunnels/check-policy.ts'
import type { Labels } from '../tunnels/labels.ts'
import { tunnelProtocols, type TunnelRecord } from '../tunnels/tunnel-record.ts'
import type { TunnelInput } from '../tunnels/tunnels.ts'

/** With a port only where it is a reserved TCP address. */
const hostName =
  '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+(\\.|:\\d{1,5})?$'

/**
 * The body of `POST /tunnels`. Unknown fields are refused: a misspelt `policy` would publish without it. A policy may come as
 * the text that lists show.
 */
export const CreateTunnelBody = Type.Object(
  {
    protocol: Type.Optional(Type.Enum([...tunnelProtocols])),
    forwards_to: Type.String({ minLength: 1, maxLength: 300 }),
    domain: Type.Optional(Type.Union([Type.String({ maxLength: 253, pattern: hostName }), Type.Null()])),
    labels: Type.Optional(Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()])),
    policy: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String(), Type.Null()])),
  },
  { additionalProperties: false },
)
export type CreateTunnelBody = Static<typeof CreateTunnelBody>

/** A tunnel as the API shows it; in lists the policy is JSON text. */
export interface TunnelReply {
  readonly url: string
  readonly protocol: string
  readonly forwards_to: string
  readonly domain: string
  /** Only of tunnels that have them. */
  readonly labels?: Labels
  readonly policy: object | string | null
}

/** Throws PolicyInvalidError for a text that is no policy. */
export function readTunnelInput(body: CreateTunnelBody): TunnelInput {
  const { protocol = 'http', forwards_to: forwardsTo, domain = null, labels = null, policy = null } = body
  const document = typeof policy === 'string' ? readPolicyText(policy) : policy
  return { protocol, forwardsTo, domain, labels, policy: document }
}

export function writeTunnel(record: TunnelRecord, policy: TunnelReply['policy']): TunnelReply {
  const { url, protocol, forwardsTo, domain, labels } = record
  return { url, protocol, forwards_to: forwardsTo, domain, ...(labels && { labels }), policy }
}
