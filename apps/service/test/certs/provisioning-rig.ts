import { webcrypto } from 'node:crypto'
import { AcmeError } from '../../src/certs/acme/acme-error.ts'
import type { WantedIssue } from '../../src/certs/acme/acme-connection.ts'
import type { IssuedCertificate } from '../../src/certs/acme/issue.ts'
import type { RenewalInfo } from '../../src/certs/acme/renewal-info.ts'
import type { CertificateState } from '../../src/certs/provisioning/certificate-state.ts'
import type { CheckedCertificate } from '../../src/certs/provisioning/check-issued.ts'
import type { CertificateStates, ProvisionerOptions } from '../../src/certs/provisioning/provisioner.ts'
import type { CertificateSubject } from '../../src/certs/provisioning/subject.ts'
import {
  AuthorityKeyIdentifierExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '../../src/certs/x509.ts'

const dayMs = 86_400_000
export const certificateLifeMs = 90 * dayMs

/** States in memory, with the same compare-and-swap as the store. */
export class StatesInMemory implements CertificateStates {
  readonly rows = new Map<string, { state: CertificateState; revision: number }>()

  all() {
    return Promise.resolve(new Map([...this.rows].map(([id, { state }]) => [id, state])))
  }

  read(id: string) {
    return Promise.resolve(structuredClone(this.rows.get(id) ?? null))
  }

  save(id: string, state: CertificateState, revision: number | null): Promise<number | null> {
    if ((this.rows.get(id)?.revision ?? null) !== revision) return Promise.resolve(null)
    const next = (revision ?? 0) + 1
    this.rows.set(id, { state, revision: next })
    return Promise.resolve(next)
  }

  remove(id: string): Promise<void> {
    this.rows.delete(id)
    return Promise.resolve()
  }
}

/** Everything around a provisioner, in memory: DNS that is edited, an authority that fails on request, a clock that is set. */
export class ProvisioningRig {
  readonly states = new StatesInMemory()
  readonly subjects = new Map<string, CertificateSubject>()
  readonly dns = new Map<string, readonly string[]>()
  readonly orders: WantedIssue[] = []
  readonly stored = new Map<string, CheckedCertificate>()
  readonly confirmed: string[] = []
  readonly failures: unknown[] = []
  readonly told: { readonly id: string; readonly state: CertificateState | null; readonly stored: number }[] = []
  nowMs = Date.UTC(2030, 0, 1)
  lookupFails = false
  orderFails: AcmeError | null = null
  renewalInfo: RenewalInfo | null | AcmeError = null
  duringOrder: (() => void) | null = null
  #serial = 0

  readonly options: ProvisionerOptions = {
    states: this.states,
    subjects: {
      find: (id) => Promise.resolve(this.subjects.get(id) ?? null),
      confirmed: (id) => Promise.resolve(void this.confirmed.push(id)),
    },
    certificates: {
      store: (_id, certificate) => {
        const id = `cert_${++this.#serial}`
        this.stored.set(id, certificate)
        return Promise.resolve(id)
      },
      discard: (id) => Promise.resolve(void this.stored.delete(id)),
    },
    lookup: {
      aliasesOf: (name) => this.#look(name),
      delegationOf: (name) => this.#look(name),
      caaOf: () => Promise.resolve([]),
    },
    authority: {
      identity: () => Promise.resolve({ identities: ['ca.test'], accountUrl: 'https://ca.test/1' }),
      issue: (wanted) => this.#issue(wanted),
      renewalInfo: () =>
        this.renewalInfo instanceof AcmeError ? Promise.reject(this.renewalInfo) : Promise.resolve(this.renewalInfo),
      forgetAccount: () => undefined,
    },
    presenterFor: () => ({ type: 'dns-01', present: () => Promise.reject(new Error('not used')) }),
    nowMs: () => this.nowMs,
    random: () => 0.5,
    onState: (id, state) => this.told.push({ id, state, stored: this.stored.size }),
    onFailure: (_id, error) => this.failures.push(error),
  }

  #look(name: string): Promise<readonly string[]> {
    return this.lookupFails ? Promise.reject(new Error('no recursor')) : Promise.resolve(this.dns.get(name) ?? [])
  }

  #issue(wanted: WantedIssue): Promise<IssuedCertificate> {
    this.orders.push(wanted)
    this.duringOrder?.()
    return this.orderFails === null
      ? selfIssue(wanted.names, this.nowMs, this.orders.length)
      : Promise.reject(this.orderFails)
  }
}

async function selfIssue(names: readonly string[], nowMs: number, serial: number): Promise<IssuedCertificate> {
  const algorithm = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: String(serial).padStart(8, '0'),
    notBefore: new Date(nowMs),
    notAfter: new Date(nowMs + certificateLifeMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
      new AuthorityKeyIdentifierExtension('69885b6b'),
    ],
  })
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const lines = key.match(/.{1,64}/g) ?? []
  return {
    chainPem: certificate.toString('pem'),
    privateKeyPem: `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`,
  }
}
