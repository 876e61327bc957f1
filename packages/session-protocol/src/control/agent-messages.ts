import { type Static, Type } from 'typebox'
import { bindId, labels, message, nullable, text } from './bounds.ts'

const milliseconds = Type.Integer({ minimum: 100, maximum: 3_600_000 })

/** First message of a session: who the agent is and what it can do. */
export const helloSchema = message('hello', {
  protocolVersions: Type.Array(Type.Integer({ minimum: 1, maximum: 65535 }), { minItems: 1, maxItems: 8 }),
  authtoken: text(256),
  agentVersion: text(64),
  os: text(64),
  arch: text(64),
  hostname: text(255),
  metadata: text(4096),
  labels,
  /** `""`: supported; anything else: the reason why not. */
  capabilities: Type.Object({ restart: text(256), stop: text(256), update: text(256) }),
  resume: nullable(Type.Object({ clientId: text(64, 1), cookie: text(256, 1) })),
  installId: text(64),
  bootId: text(64),
  maxStreams: Type.Integer({ minimum: 1, maximum: 65536 }),
  heartbeat: Type.Optional(Type.Object({ intervalMs: milliseconds, toleranceMs: milliseconds })),
  update: Type.Optional(Type.Object({ from: text(64), to: text(64), result: text(64), reason: text(512) })),
})

/** Asks for a public address, or for membership in tunnel groups by `labels`. */
export const bindSchema = message('bind', {
  bindId,
  protocol: Type.Enum(['http', 'https', 'tcp', 'tls']),
  domain: nullable(text(253, 1)),
  labels: nullable(labels),
  policy: Type.Unknown(),
  metadata: nullable(text(4096)),
  forwardsTo: text(2048),
  upstreamProtocol: Type.Enum(['http1', 'http2']),
})

export const unbindSchema = message('unbind', { bindId })

export const commandResultSchema = message('commandResult', {
  id: text(64, 1),
  error: nullable(Type.Object({ code: text(64), message: text(512) })),
})

export type Hello = Static<typeof helloSchema>
export type Bind = Static<typeof bindSchema>
export type Unbind = Static<typeof unbindSchema>
export type CommandResult = Static<typeof commandResultSchema>

/** Everything that an agent says to the service. */
export type AgentMessage = Hello | Bind | Unbind | CommandResult
