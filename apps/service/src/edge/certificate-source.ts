import type { SecureContext } from 'node:tls'

/** What session tickets are sealed with, from time to time something new. */
export interface TicketKeySource {
  /** 48 bytes, others for each purpose. */
  keysFor(purpose: string): Buffer
  onRotated(listener: () => void): void
}

/** Where the HTTPS listener gets its certificates from. */
export interface CertificateSource {
  /** For connections that name no server (no SNI), as PEM. */
  fallback(): { readonly key: string; readonly cert: string }
  /** The certificate for a lower-case name of the TLS handshake. Answers for any name; an unknown one gets the fallback. */
  contextFor(serverName: string): SecureContext | Promise<SecureContext>
  /** The same certificate with its key, as PEM. */
  keyPairFor(serverName: string): Promise<{ readonly key: string; readonly cert: string }>
  /** Whether the certificate that was given for `serverName` (undefined: the fallback) also stands for `hostName`. */
  covers(serverName: string | undefined, hostName: string): boolean
}
