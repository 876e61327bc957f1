/** How a transport ended: the close code and reason of the peer, or of the failure. */
export interface TransportEnding {
  readonly code: number
  readonly reason: string
}

export interface TransportHandlers {
  /** Bytes of the peer have come, also those of an unfinished message. */
  onBytes(): void
  /** One whole message. The buffer belongs to the receiver. */
  onMessage(message: Buffer): void
  /** `bufferedBytes` was high and has fallen. */
  onDrain(): void
  /** Exactly once, last. */
  onClose(ending: TransportEnding): void
}

/** Carries whole binary messages in order: a WebSocket, or a pair in memory. */
export interface Transport {
  /** Connects the receiver. To be called in the same turn in which the transport opened, or messages are lost. */
  start(handlers: TransportHandlers): void
  /** Hands over one message in parts, which must not be changed afterwards. A no-op once closed. */
  send(parts: readonly Uint8Array[], bytes: number): void
  /** Messages between `cork` and `uncork` may leave together. */
  cork(): void
  uncork(): void
  /** Bytes handed over and not yet taken by the network. */
  readonly bufferedBytes: number
  /** Closes after what was handed over, and at the latest a short time later. */
  close(code: number, reason: string): void
  /** Drops the connection at once. */
  destroy(): void
}
