import type { AgentMessage } from '../control/agent-messages.ts'
import { parseAgentMessage, parseServiceMessage } from '../control/parse-control.ts'
import type { ServiceMessage } from '../control/service-messages.ts'
import type { Transport } from '../transport/transport.ts'
import { Session } from './session.ts'
import type { SessionHandlers, SessionOptions } from './session-types.ts'

/** The agent's end of a session: it opens odd streams. */
export type AgentSideSession = Session<ServiceMessage, AgentMessage>
/** The service's end of a session: it opens even streams. */
export type ServiceSideSession = Session<AgentMessage, ServiceMessage>

/** Starts the agent's end on an open transport. The hello is the caller's to send. */
export function startAgentSession(
  transport: Transport,
  handlers: SessionHandlers<ServiceMessage>,
  options: SessionOptions,
): AgentSideSession {
  return new Session(transport, handlers, { name: 'agent', parseControl: parseServiceMessage }, options)
}

/** Starts the service's end on an open transport. */
export function startServiceSession(
  transport: Transport,
  handlers: SessionHandlers<AgentMessage>,
  options: SessionOptions,
): ServiceSideSession {
  return new Session(transport, handlers, { name: 'service', parseControl: parseAgentMessage }, options)
}
