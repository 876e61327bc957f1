import { type Static, Type } from 'typebox'
import { bindId, message, nullable, text } from './bounds.ts'

const duration = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })

/** A row of the service's error catalogue, as agents see it. */
export const sessionErrorSchema = Type.Object({
  code: nullable(Type.Integer()),
  reason: text(128),
  message: text(2048),
  retryable: Type.Boolean(),
})

export const welcomeSchema = message('welcome', {
  protocolVersion: Type.Integer(),
  sessionId: text(64),
  clientId: text(64, 1),
  cookie: text(256, 1),
  region: text(64),
  zone: text(253),
  heartbeat: Type.Object({
    intervalMs: Type.Integer({ minimum: 100, maximum: 3_600_000 }),
    toleranceMs: Type.Integer({ minimum: 100, maximum: 3_600_000 }),
  }),
  limits: Type.Object({ maxStreams: Type.Integer({ minimum: 1 }), maxBinds: Type.Integer({ minimum: 1 }) }),
  serverTime: text(64),
  deprecation: nullable(Type.Object({ minVersion: text(64), date: text(64), message: text(512) })),
})

export const refusedSchema = message('refused', { error: sessionErrorSchema, retryAfterMs: duration })

export const bindResultSchema = message('bindResult', {
  bindId,
  tunnel: nullable(Type.Object({ tunnelId: text(64), url: nullable(text(512)), domain: nullable(text(253)) })),
  error: nullable(sessionErrorSchema),
})

export const unbindResultSchema = message('unbindResult', { bindId, error: nullable(sessionErrorSchema) })

export const commandSchema = message('command', {
  id: text(64, 1),
  command: Type.Enum(['restart', 'stop', 'update']),
  version: Type.Optional(text(64)),
})

export const stopTunnelSchema = message('stopTunnel', { bindId, error: sessionErrorSchema })

export type SessionError = Static<typeof sessionErrorSchema>
export type Welcome = Static<typeof welcomeSchema>
export type Refused = Static<typeof refusedSchema>
export type BindResult = Static<typeof bindResultSchema>
export type UnbindResult = Static<typeof unbindResultSchema>
export type Command = Static<typeof commandSchema>
export type StopTunnel = Static<typeof stopTunnelSchema>

/** Everything that the service says to an agent. */
export type ServiceMessage = Welcome | Refused | BindResult | UnbindResult | Command | StopTunnel
