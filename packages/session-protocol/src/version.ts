/** The version that hello and welcome agree on. */
export const PROTOCOL_VERSION = 2

/** The WebSocket subprotocol of sessions. */
export const WEB_SOCKET_SUBPROTOCOL = 'tunnel-session'
