import type { TSchema } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { ProtocolError } from '../protocol-error.ts'
import { type AgentMessage, bindSchema, commandResultSchema, helloSchema, unbindSchema } from './agent-messages.ts'
import {
  bindResultSchema,
  commandSchema,
  refusedSchema,
  type ServiceMessage,
  stopTunnelSchema,
  unbindResultSchema,
  welcomeSchema,
} from './service-messages.ts'

/** Reads the JSON of a CONTROL frame. Null: a type that this version does not know. Throws `ProtocolError`. */
export type ControlParser<Message> = (json: Buffer) => Message | null

export const parseAgentMessage = controlParser<AgentMessage>({
  hello: helloSchema,
  bind: bindSchema,
  unbind: unbindSchema,
  commandResult: commandResultSchema,
})

export const parseServiceMessage = controlParser<ServiceMessage>({
  welcome: welcomeSchema,
  refused: refusedSchema,
  bindResult: bindResultSchema,
  unbindResult: unbindResultSchema,
  command: commandSchema,
  stopTunnel: stopTunnelSchema,
})

function controlParser<Message extends { readonly type: string }>(
  schemas: Readonly<Record<Message['type'], TSchema>>,
): ControlParser<Message> {
  const known = new Map<string, TSchema>(Object.entries<TSchema>(schemas))
  return (json) => {
    const message = parseObject(json)
    const schema = known.get(message.type)
    if (!schema) return null
    const problem = problemOf(schema, message)
    if (problem !== null) throw new ProtocolError(`${message.type}${problem}`)
    return message as Message
  }
}

function parseObject(json: Buffer): { type: string } {
  const value = parseJson(json)
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') {
    throw new ProtocolError('a control message is an object with a type')
  }
  return value as { type: string }
}

function parseJson(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'))
  } catch {
    throw new ProtocolError('control message is not JSON')
  }
}

function problemOf(schema: TSchema, message: object): string | null {
  if (Check(schema, message)) return null
  const [first] = Errors(schema, message)
  return `${first?.instancePath ?? ''}: ${first?.message ?? 'malformed'}`
}
