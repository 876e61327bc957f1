import { type TObject, type TProperties, Type } from 'typebox'
import { Ref, TextMap, Time } from './fields.ts'

/** The wire contract of something that exists while it is online, and is only read. */
export interface OnlineModel<Reply extends TProperties = TProperties> {
  readonly name: string
  readonly title: string
  readonly path: string
  readonly prefix: string
  readonly listKey: string
  readonly reply: TObject<Reply>
}

function online<R extends TProperties>({ reply, ...model }: Omit<OnlineModel, 'reply'> & { reply: R }): OnlineModel<R> {
  return { ...model, reply: Type.Object(reply, { $id: model.name, additionalProperties: false }) }
}

/** The authenticated connection of an agent. */
export const tunnelSessionModel = online({
  name: 'TunnelSession',
  title: 'tunnel session',
  path: '/tunnel_sessions',
  prefix: 'ts',
  listKey: 'tunnel_sessions',
  reply: {
    id: Type.String(),
    uri: Type.String(),
    agent_version: Type.String(),
    credential: Ref,
    ip: Type.String(),
    metadata: Type.Optional(Type.String()),
    os: Type.String(),
    region: Type.String(),
    started_at: Time,
    transport: Type.String(),
  },
})
export type TunnelSession = Type.Static<typeof tunnelSessionModel.reply>

const Protocol = Type.Enum(['http', 'https', 'tcp', 'tls'])

/** One way from the edge to an agent, by address or by labels. It has no uri of its own. */
export const tunnelModel = online({
  name: 'Tunnel',
  title: 'tunnel',
  path: '/tunnels',
  prefix: 'tn',
  listKey: 'tunnels',
  reply: {
    id: Type.String(),
    public_url: Type.Optional(Type.String()),
    proto: Type.Optional(Protocol),
    endpoint: Type.Optional(Ref),
    labels: Type.Optional(TextMap),
    backends: Type.Optional(Type.Array(Ref)),
    forwards_to: Type.String(),
    metadata: Type.Optional(Type.String()),
    region: Type.String(),
    started_at: Time,
    tunnel_session: Ref,
  },
})
export type Tunnel = Type.Static<typeof tunnelModel.reply>

/** A public address that is online: of a tunnel, or of an edge. */
export const endpointModel = online({
  name: 'Endpoint',
  title: 'endpoint',
  path: '/endpoints',
  prefix: 'ep',
  listKey: 'endpoints',
  reply: {
    id: Type.String(),
    uri: Type.String(),
    created_at: Time,
    updated_at: Time,
    type: Type.Enum(['ephemeral', 'edge', 'cloud']),
    proto: Protocol,
    public_url: Type.String(),
    url: Type.String(),
    hostport: Type.String(),
    bindings: Type.Array(Type.String()),
    pooling_enabled: Type.Boolean(),
    region: Type.String(),
    metadata: Type.Optional(Type.String()),
    domain: Type.Optional(Ref),
    tcp_addr: Type.Optional(Ref),
    edge: Type.Optional(Ref),
    tunnel: Type.Optional(Ref),
    tunnel_session: Type.Optional(Ref),
    principal: Type.Optional(Ref),
  },
})
export type Endpoint = Type.Static<typeof endpointModel.reply>
