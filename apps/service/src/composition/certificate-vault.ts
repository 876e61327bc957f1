import { mintId, tlsCertificateModel, wireTime } from '@tunnel/models'
import type { CheckedCertificate } from '../certs/provisioning/check-issued.ts'
import type { IssuedCertificates } from '../certs/provisioning/provisioner.ts'
import { serviceSubjectId } from '../certs/provisioning/stored-states.ts'
import type { KeyAndChain } from '../certs/serving/context-cache.ts'
import type { Resources } from '../resources/all-resources.ts'
import { draftCertificate, privateKeySecret } from '../resources/tls-certificates/tls-certificates.ts'
import type { Records } from '../storage/records.ts'
import type { ServiceValues } from '../storage/service-values.ts'

export interface CertificateVaultDeps {
  readonly records: Records
  readonly values: ServiceValues
  readonly tlsCertificates: Resources['tlsCertificates']
  readonly nowMs: () => number
}

/** The service's own certificate is a sealed value; its id is the name of the value. */
const ownPrefix = 'service-certificate-'

/** Certificates with their keys, sealed at rest: uploaded ones, and managed ones beside them as TLS certificates of the account. */
export class CertificateVault implements IssuedCertificates {
  readonly #deps: CertificateVaultDeps

  constructor(deps: CertificateVaultDeps) {
    this.#deps = deps
  }

  async load(id: string): Promise<KeyAndChain | undefined> {
    if (id.startsWith(ownPrefix)) {
      const found = await this.#deps.values.read(id)
      return found === null ? undefined : (JSON.parse(found.value) as KeyAndChain)
    }
    const { tlsCertificates } = this.#deps
    const [certificate, privateKeyPem] = await Promise.all([
      tlsCertificates.find(id),
      tlsCertificates.secret(id, privateKeySecret),
    ])
    if (certificate === undefined || privateKeyPem === undefined) return undefined
    return { chainPem: certificate.body.certificate_pem, privateKeyPem }
  }

  /** Belongs to the resource that it was obtained for, and disappears with it. */
  async store(subjectId: string, { chainPem, privateKeyPem }: CheckedCertificate): Promise<string> {
    const { records, values, nowMs } = this.#deps
    const id = mintId(tlsCertificateModel.prefix, nowMs())
    if (subjectId === serviceSubjectId) {
      await values.write(ownPrefix + id, JSON.stringify({ chainPem, privateKeyPem }), null)
      return ownPrefix + id
    }
    const owner = await records.get(subjectId.slice(0, subjectId.indexOf('_')), subjectId)
    if (owner === undefined) throw new Error(`${subjectId} is gone`)
    const now = nowMs()
    const draft = draftCertificate({ certificate_pem: chainPem, private_key_pem: privateKeyPem }, wireTime(now))
    const place = { id, kind: tlsCertificateModel.prefix, accountId: owner.accountId, parentId: subjectId }
    const row = { ...place, createdAt: now, revision: 0, body: JSON.stringify(draft.body) }
    await records.insert(row, { links: [], uniqueKeys: [] }, draft.secrets)
    return id
  }

  async discard(id: string): Promise<void> {
    if (id.startsWith(ownPrefix)) await this.#deps.values.remove(id)
    else await this.#deps.records.delete(id)
  }
}
