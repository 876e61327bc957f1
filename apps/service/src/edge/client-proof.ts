import type { Duplex } from 'node:stream'

/** Whether a visitor has proved in the TLS handshake who it is, and to whom. */
export interface ClientProof {
  /** Of the `ClientTrust` that its certificate was checked against. */
  readonly trustKey: string
  readonly isProven: boolean
}

const proof = Symbol('client proof')

interface Provable {
  [proof]?: ClientProof
}

/** Kept at the socket itself: HTTP/2 shows it only through a proxy object. */
export function noteClientProof(connection: Duplex & Provable, noted: ClientProof): void {
  connection[proof] = noted
}

/** Undefined: no certificate was asked for. */
export function clientProofOf(connection: Duplex & Provable): ClientProof | undefined {
  return connection[proof]
}
