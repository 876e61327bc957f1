import type { CertificateState } from '../certs/provisioning/certificate-state.ts'
import type { CertificateStates, Subjects } from '../certs/provisioning/provisioner.ts'
import { serviceSubjectId } from '../certs/provisioning/stored-states.ts'
import type { CertificateSubject } from '../certs/provisioning/subject.ts'
import type { ServedNames } from '../certs/serving/served-names.ts'
import { domainSubject, ingressSubject, serviceSubject } from './certificate-subjects.ts'
import type { Authority } from '../dns/authority.ts'
import type { Management } from '../resources/management.ts'
import type { AgentIngressBody } from '../resources/agent-ingresses/agent-ingresses.ts'
import type { Change } from '../resources/kernel/changes.ts'
import type { Stored } from '../resources/kernel/definition.ts'
import type { ReservedDomainBody } from '../resources/reserved-domains/reserved-domains.ts'

export interface PublishedNamesDeps {
  readonly management: Pick<Management, 'resources' | 'names' | 'changes'>
  readonly states: Pick<CertificateStates, 'all' | 'read'>
  readonly authority: Authority
  readonly served: ServedNames
  /** Whether our DNS answers for the service's own domain, so that its certificate can be managed. */
  readonly hasOwnZone: boolean
  /** A change could not be followed: the store does not answer. */
  readonly onFailure: (error: unknown) => void
  /** An ingress takes sessions at these names from now on; none: no longer. */
  readonly onIngressNames: (
    ingress: { readonly id: string; readonly accountId: string },
    names: readonly string[],
  ) => void
}

const prefixes = { domain: 'rd', ingress: 'agin' }

/** Keeps DNS and served certificates in step with what accounts reserve, and tells what each name needs. */
export class PublishedNames implements Subjects {
  readonly #deps: PublishedNamesDeps
  /** Of everything that is published: its account, and the domain of an ingress. */
  readonly #published = new Map<string, { readonly accountId: string; readonly ingressDomain: string | null }>()

  constructor(deps: PublishedNamesDeps) {
    this.#deps = deps
  }

  /** Publishes what is stored, and no longer what is gone from the store. Returns every subject. */
  async load(): Promise<readonly string[]> {
    const { management, states, hasOwnZone } = this.#deps
    const domains = await management.resources.reservedDomains.all()
    const ingresses = await management.resources.agentIngresses.all()
    const stored = await states.all()
    const ids = new Set([...domains, ...ingresses].map(({ id }) => id))
    // First: the name of what is gone may belong to another by now.
    for (const id of this.#published.keys()) if (!ids.has(id)) this.#withdraw(id)
    for (const domain of domains) this.#publishDomain(domain)
    for (const ingress of ingresses) if (isConfirmed(stored.get(ingress.id))) this.#publishIngress(ingress)
    for (const [id, state] of stored) this.onState(id, state)
    return [...(hasOwnZone ? [serviceSubjectId] : []), ...ids]
  }

  /** Another process has changed what is known of a subject. */
  async refresh(id: string): Promise<void> {
    this.onState(id, (await this.#deps.states.read(id))?.state ?? null)
  }

  /** `onChanged` hears of each subject whose certificate may have to change. Returns how to stop. */
  follow(onChanged: (id: string) => void): Disposable {
    const { management, onFailure } = this.#deps
    // One after another: what a slow look finds must not be published after it was deleted.
    let last = Promise.resolve()
    const take = (change: Change) => {
      last = last
        .then(() => this.#follow(change))
        .catch(onFailure)
        .finally(() => onChanged(change.id))
    }
    const stops = Object.values(prefixes).map((prefix) => management.changes.listen(prefix, take))
    return { [Symbol.dispose]: () => stops.forEach((stop) => stop()) }
  }

  async find(id: string): Promise<CertificateSubject | null> {
    const { resources, names } = this.#deps.management
    if (id === serviceSubjectId) return serviceSubject(names.zone)
    if (id.startsWith(`${prefixes.ingress}_`)) {
      const ingress = await resources.agentIngresses.find(id)
      return ingress === undefined ? null : ingressSubject(ingress, names)
    }
    const domain = await resources.reservedDomains.find(id)
    return domain === undefined ? null : domainSubject(domain, names)
  }

  /** The parent delegates to this ingress: from now on we answer for its domain and take its agents. */
  async confirmed(id: string): Promise<void> {
    const ingress = await this.#deps.management.resources.agentIngresses.find(id)
    if (ingress !== undefined) this.#publishIngress(ingress)
  }

  /** A certificate that is held serves its names. */
  onState(id: string, state: CertificateState | null): void {
    if (state?.held) this.#deps.served.set(id, state.held.names, state.held.id)
    else if (state !== null) this.#deps.served.delete(id)
  }

  async #follow({ kind, id, change }: Change): Promise<void> {
    if (change === 'deleted') return this.#withdraw(id)
    const { reservedDomains } = this.#deps.management.resources
    const domain = kind === prefixes.domain ? await reservedDomains.find(id) : undefined
    if (domain !== undefined) this.#publishDomain(domain)
  }

  #withdraw(id: string): void {
    const { management, authority, served, onIngressNames } = this.#deps
    served.delete(id)
    const published = this.#published.get(id)
    if (published === undefined) return
    this.#published.delete(id)
    const { accountId, ingressDomain } = published
    if (ingressDomain === null) return authority.removeAlias(management.names.aliasOf(id, accountId))
    authority.unloadIngress(ingressDomain)
    onIngressNames({ id, accountId }, [])
  }

  #publishIngress({ id, accountId, body: { domain } }: Stored<AgentIngressBody>): void {
    const { management, authority, onIngressNames } = this.#deps
    const regionDomains = management.names.regionDomainsOf(domain)
    authority.loadIngress({ domain, nsTargets: management.names.nameserversOf(id), regionDomains })
    this.#published.set(id, { accountId, ingressDomain: domain })
    onIngressNames({ id, accountId }, [domain, ...regionDomains])
  }

  #publishDomain({ id, accountId, body }: Stored<ReservedDomainBody>): void {
    const { management, authority, served } = this.#deps
    this.#published.set(id, { accountId, ingressDomain: null })
    if (!management.names.isWithin(body.domain)) authority.addAlias(management.names.aliasOf(id, accountId))
    if (body.certificate_id !== undefined) served.set(id, [body.domain], body.certificate_id)
    else if (body.certificate_management_policy === null) served.delete(id)
  }
}

function isConfirmed(state: CertificateState | undefined): boolean {
  return state !== undefined && state.confirmedAtMs !== null
}
