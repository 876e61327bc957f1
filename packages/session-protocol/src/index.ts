export type { GoAwayCode } from './codes.ts'
export type { AgentMessage, Bind, CommandResult, Hello, Unbind } from './control/agent-messages.ts'
export type {
  BindResult,
  Command,
  Refused,
  ServiceMessage,
  SessionError,
  StopTunnel,
  UnbindResult,
  Welcome,
} from './control/service-messages.ts'
export type { GoAway } from './frames/decode-message.ts'
export { defaultLimits, readTargetBytes, type SessionLimits, wire } from './limits.ts'
export { Heartbeats } from './session/heartbeats.ts'
export {
  type SessionEnding,
  type SessionHandlers,
  type SessionOptions,
  StreamUnavailable,
} from './session/session-types.ts'
export {
  type AgentSideSession,
  type ServiceSideSession,
  startAgentSession,
  startServiceSession,
} from './session/start-session.ts'
export type { MuxStream, ResetCode, StreamEnding, StreamHeader, StreamSink } from './stream/mux-stream.ts'
export { StreamCut, toDuplex } from './stream/to-duplex.ts'
export { weighBuffersWithHeap } from './transport/buffer-accounting.ts'
export { exposedCollector } from './transport/exposed-collector.ts'
export { noteRead } from './transport/spent-buffers.ts'
export type { Transport, TransportEnding, TransportHandlers } from './transport/transport.ts'
export { type SocketLike, type WebSocketLike, webSocketTransport } from './transport/web-socket-transport.ts'
export { PROTOCOL_VERSION, WEB_SOCKET_SUBPROTOCOL } from './version.ts'
