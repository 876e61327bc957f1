/** The visitor's connection. Addresses are those of the transport, never of a header. */
export interface ConnectionFacts {
  readonly clientIp: string
  readonly clientPort: number
  readonly serverIp: string
  readonly serverPort: number
  readonly serverRegion: string
  readonly startedAtMs: number
  readonly tls?: {
    /** `TLSv1.3` and the like. */
    readonly version: string
    readonly cipherSuite: string
    readonly sni: string
    readonly negotiatedAlpn: string
    readonly isSessionResumed: boolean
  }
}

/** The public address that the visitor reached. */
export interface EndpointFacts {
  readonly id: string
  readonly url: string
  readonly protocol: 'http' | 'https' | 'tcp' | 'tls'
  readonly host: string
  readonly port: number
}
