/** Bounds of the session listener and of what one agent may hold. */
export interface SessionsLimits {
  /** Connections that have not said a valid hello, in all and from one address. */
  readonly unauthenticatedMax: number
  readonly unauthenticatedPerAddressMax: number
  readonly helloWithinMs: number
  /** Bytes taken before the welcome. */
  readonly helloMaxBytes: number
  readonly sessionsMax: number
  readonly bindsPerSessionMax: number
  /** Control messages of one session that wait for their turn. */
  readonly pendingRequestsMax: number
  readonly commandWithinMs: number
  /** What an agent may wish for its heartbeat. */
  readonly heartbeatMinMs: number
  readonly heartbeatMaxMs: number
  /** Names that are remembered as offline. */
  readonly offlineNamesMax: number
  /** How long a displaced device is kept from displacing back. */
  readonly displacementMemoryMs: number
}

export const defaultSessionsLimits: SessionsLimits = {
  unauthenticatedMax: 2000,
  unauthenticatedPerAddressMax: 250,
  helloWithinMs: 10_000,
  helloMaxBytes: 32 * 1024,
  sessionsMax: 100_000,
  bindsPerSessionMax: 500,
  pendingRequestsMax: 1000,
  commandWithinMs: 10_000,
  heartbeatMinMs: 500,
  heartbeatMaxMs: 60_000,
  offlineNamesMax: 50_000,
  displacementMemoryMs: 60_000,
}
