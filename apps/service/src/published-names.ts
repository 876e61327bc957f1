import type { CertificateState } from './certs/provisioning/certificate-state.ts'
import type { Subjects } from './certs/provisioning/provisioner.ts'
import { serviceSubjectId } from './certs/provisioning/stored-states.ts'
import type { CertificateSubject } from './certs/provisioning/subject.ts'
import type { ServedNames } from './certs/serving/served-names.ts'
import { domainSubject, ingressSubject, serviceSubject } from './certificate-subjects.ts'
import type { Authority } from './dns/authority.ts'
import type { Management } from './resources/management.ts'
import type { Change } from './resources/kernel/changes.ts'

export interface PublishedNamesDeps {
  readonly management: Pick<Management, 'resources' | 'names' | 'changes'>
  readonly authority: Authority
  readonly served: ServedNames
  /** Whether our DNS answers for the service's own domain, so that its certificate can be managed. */
  readonly hasOwnZone: boolean
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
  readonly #ingressDomains = new Map<string, string>()

  constructor(deps: PublishedNamesDeps) {
    this.#deps = deps
  }

  /** Every subject; on the way, the aliases and uploaded certificates of all domains are put in place. */
  async load(): Promise<readonly string[]> {
    const { resources } = this.#deps.management
    const domains = await resources.reservedDomains.all()
    for (const domain of domains) this.#publishDomain(domain)
    const ingresses = await resources.agentIngresses.all()
    const own = this.#deps.hasOwnZone ? [serviceSubjectId] : []
    return [...own, ...domains.map(({ id }) => id), ...ingresses.map(({ id }) => id)]
  }

  /** `onChanged` hears of each subject whose certificate may have to change. Returns how to stop. */
  follow(onChanged: (id: string) => void): Disposable {
    const { changes } = this.#deps.management
    const stops = Object.values(prefixes).map((prefix) =>
      changes.listen(prefix, (change) => void this.#follow(change).finally(() => onChanged(change.id))),
    )
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
    const { management, authority, onIngressNames } = this.#deps
    const ingress = await management.resources.agentIngresses.find(id)
    if (ingress === undefined) return
    const { domain } = ingress.body
    const regionDomains = management.names.regionDomainsOf(domain)
    authority.loadIngress({ domain, nsTargets: management.names.nameserversOf(id), regionDomains })
    this.#ingressDomains.set(id, domain)
    onIngressNames(ingress, [domain, ...regionDomains])
  }

  /** A certificate that is held serves its names. */
  onState(id: string, state: CertificateState | null): void {
    if (state?.held) this.#deps.served.set(id, state.held.names, state.held.id)
    else if (state !== null) this.#deps.served.delete(id)
  }

  async #follow({ kind, id, accountId, change }: Change): Promise<void> {
    const { management, authority, served, onIngressNames } = this.#deps
    if (change !== 'deleted') {
      const domain = kind === prefixes.domain ? await management.resources.reservedDomains.find(id) : undefined
      if (domain !== undefined) this.#publishDomain(domain)
      return
    }
    served.delete(id)
    if (kind === prefixes.domain) authority.removeAlias(management.names.aliasOf(id, accountId))
    const ingressDomain = this.#ingressDomains.get(id)
    if (ingressDomain === undefined) return
    authority.unloadIngress(ingressDomain)
    this.#ingressDomains.delete(id)
    onIngressNames({ id, accountId }, [])
  }

  #publishDomain({
    id,
    accountId,
    body,
  }: NonNullable<Awaited<ReturnType<Management['resources']['reservedDomains']['find']>>>): void {
    const { management, authority, served } = this.#deps
    if (!management.names.isWithin(body.domain)) authority.addAlias(management.names.aliasOf(id, accountId))
    if (body.certificate_id !== undefined) served.set(id, [body.domain], body.certificate_id)
    else if (body.certificate_management_policy === null) served.delete(id)
  }
}
