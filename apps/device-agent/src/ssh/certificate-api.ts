import { type SshPublicKey, decodeCertificate, parsePublicKey } from '@tunnel/ssh-certificates'
import type { DecodedCertificate } from '@tunnel/ssh-certificates'
import type { ManagementApi } from './management-api.ts'

/** What a host certificate is asked for. */
export interface CertificateRequest {
  readonly authorityId: string
  /** The line of the host's `.pub` file. */
  readonly publicKey: string
  readonly principals: readonly string[]
  readonly description: string
}

/** A certificate as the API gave it. */
export interface IssuedCertificate {
  readonly line: string
  readonly decoded: DecodedCertificate
}

/** The calls of the management API that certify a host. Its replies are checked before anything relies on them. */
export class CertificateApi {
  readonly #api: Pick<ManagementApi, 'call'>

  constructor(api: Pick<ManagementApi, 'call'>) {
    this.#api = api
  }

  async authorityKey(id: string): Promise<SshPublicKey> {
    const reply = await this.#api.call('GET', `/ssh_certificate_authorities/${encodeURIComponent(id)}`)
    return parsePublicKey(textField(reply, 'public_key'))
  }

  async certify({ authorityId, publicKey, principals, description }: CertificateRequest): Promise<IssuedCertificate> {
    const body = { ssh_certificate_authority_id: authorityId, public_key: publicKey, principals, description }
    const line = textField(await this.#api.call('POST', '/ssh_host_certificates', body), 'certificate')
    return { line, decoded: decodeCertificate(line) }
  }
}

function textField(reply: unknown, name: string): string {
  const value = (reply as Record<string, unknown> | undefined)?.[name]
  if (typeof value !== 'string') throw new Error(`the API's reply has no field ${name}`)
  return value
}
