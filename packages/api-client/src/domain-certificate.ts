import { reservedDomainModel } from '@tunnel/models'
import type { Transport } from './transport.ts'

/** What is taken from a reserved domain by calls of their own. */
export class DomainCertificate {
  readonly #transport: Transport
  readonly #path: string

  constructor(transport: Transport, domainId: string) {
    this.#transport = transport
    this.#path = `${reservedDomainModel.path}/${encodeURIComponent(domainId)}`
  }

  /** Detaches an uploaded certificate. */
  async detach(): Promise<void> {
    await this.#transport.send('DELETE', `${this.#path}/certificate`)
  }

  /** Ends the automatic management. */
  async endManagement(): Promise<void> {
    await this.#transport.send('DELETE', `${this.#path}/certificate_management_policy`)
  }
}
