import type { SecureContext } from 'node:tls'
import type { ContextCache } from './context-cache.ts'
import type { ServedNames } from './served-names.ts'

interface KeyPair {
  readonly key: string
  readonly cert: string
}

/** Certificates for names that have none of their own. */
export interface LastResort {
  fallback(): KeyPair
  contextFor(serverName: string): Promise<SecureContext>
  keyPairFor(serverName: string): Promise<KeyPair>
  covers(serverName: string | undefined, hostName: string): boolean
}

export interface CertificateSelectionDeps {
  readonly names: ServedNames
  readonly contexts: ContextCache
  readonly lastResort: LastResort
}

/** Chooses the certificate of a TLS handshake: an uploaded or managed one that stands for the name, else the last resort's. */
export class CertificateSelection {
  readonly #deps: CertificateSelectionDeps

  constructor(deps: CertificateSelectionDeps) {
    this.#deps = deps
  }

  /** For connections that name no server, as PEM. */
  fallback(): KeyPair {
    return this.#deps.lastResort.fallback()
  }

  /** Answers for any lower-case name; one that is not served costs a look into a table. */
  async contextFor(serverName: string): Promise<SecureContext> {
    const { names, contexts, lastResort } = this.#deps
    const certificateId = names.find(serverName)
    const context = certificateId === undefined ? undefined : await contexts.get(certificateId)
    return context ?? lastResort.contextFor(serverName)
  }

  /** The certificate that `contextFor` chooses, as PEM. */
  async keyPairFor(serverName: string): Promise<KeyPair> {
    const { names, contexts, lastResort } = this.#deps
    const certificateId = names.find(serverName)
    const loaded = certificateId === undefined ? undefined : await contexts.load(certificateId)
    return loaded === undefined
      ? lastResort.keyPairFor(serverName)
      : { key: loaded.privateKeyPem, cert: loaded.chainPem }
  }

  /** Whether the certificate that was given for `serverName` (undefined: none was named) also stands for `hostName`. */
  covers(serverName: string | undefined, hostName: string): boolean {
    const { names, lastResort } = this.#deps
    const given = serverName === undefined ? undefined : names.find(serverName)
    return given === names.find(hostName) && (given !== undefined || lastResort.covers(serverName, hostName))
  }
}
