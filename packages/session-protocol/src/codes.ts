import type { ResetCode } from './stream/mux-stream.ts'

/** Why a session ends (docs/protocol.md, section 7). */
export type GoAwayCode = keyof typeof goAwayNumbers

export const goAwayNumbers = {
  shutdown: 0,
  protocol_error: 1,
  flow_control_error: 2,
  heartbeat_timeout: 3,
  displaced: 4,
  credential_revoked: 5,
  handshake_timeout: 6,
  limit_exceeded: 7,
  internal_error: 8,
} as const

export const resetNumbers: Readonly<Record<ResetCode, number>> = {
  cancelled: 1,
  protocol_error: 2,
  flow_control_error: 3,
  refused: 4,
  upstream_refused: 5,
  upstream_unreachable: 6,
  upstream_timeout: 7,
  upstream_tls_failed: 8,
  internal_error: 9,
  upstream_lost: 10,
}

const goAwayNames = new Map(Object.entries(goAwayNumbers).map(([name, n]) => [n as number, name as GoAwayCode]))
const resetNames = new Map(Object.entries(resetNumbers).map(([name, n]) => [n, name as ResetCode]))

/** An unknown number reads as `internal_error`, so that later versions can add codes. */
export function goAwayCodeOf(n: number): GoAwayCode {
  return goAwayNames.get(n) ?? 'internal_error'
}

export function resetCodeOf(n: number): ResetCode {
  return resetNames.get(n) ?? 'internal_error'
}

/** The WebSocket close code that goes with the end of a session (docs/protocol.md, section 8). */
export function closeCodeOf(code: GoAwayCode): number {
  return code === 'shutdown' ? 1000 : 4000 + goAwayNumbers[code]
}
