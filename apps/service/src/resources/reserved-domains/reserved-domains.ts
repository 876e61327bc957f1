import {
  type CertificatePolicy,
  type ReservedDomain,
  ServiceError,
  reservedDomainModel,
  tlsCertificateModel,
} from '@tunnel/models'
import { type CertificateProvisioning, completePolicy } from '../certificate-management/certificate-policy.ts'
import { readDomain } from '../domain-names/domain-name.ts'
import { regionsAccepted } from '../domain-names/hosted-regions.ts'
import { besideDomain, reservationKey, reservationKeyName } from '../domain-names/reservation.ts'
import type { ZoneNames } from '../domain-names/zone-names.ts'
import { type ResourceDefinition, defineResource } from '../kernel/definition.ts'
import { referenceTo } from '../kernel/references.ts'
import { refTo } from '../kernel/refs.ts'
import type { OlderInput } from '../kernel/tolerance.ts'

const defaultKeyType = 'ecdsa'

export interface ReservedDomainBody extends Pick<ReservedDomain, 'description' | 'metadata' | 'domain'> {
  /** An uploaded certificate; never together with a policy. */
  readonly certificate_id?: string
  readonly certificate_management_policy: CertificatePolicy | null
  readonly error_redirect_url?: string
  readonly resolves_to?: ReservedDomain['resolves_to']
}

interface ReservedDomainParts {
  readonly names: ZoneNames
  readonly provisioning: CertificateProvisioning
}

export function reservedDomains({
  names,
  provisioning,
}: ReservedDomainParts): ResourceDefinition<typeof reservedDomainModel, ReservedDomainBody> {
  const regions = regionsAccepted(names)
  return defineResource<typeof reservedDomainModel, ReservedDomainBody>({
    model: reservedDomainModel,
    modernize: (input) => withDomain(input, names.zone),
    create: ({ domain: name, region, ...input }) => {
      const domain = readDomain(name)
      if (names.isOwn(domain)) throw new ServiceError('domain_parent_forbidden', { domain })
      if (region !== undefined && !regions.includes(region))
        throw new ServiceError('domain_region_unknown', { region: region.slice(0, 40), supported: regions.join(', ') })
      const { certificate_management_policy: _policy, ...settings } = input
      const automatic = names.isWithin(domain) ? null : completePolicy({}, defaultKeyType)
      const certificate = chooseCertificate(domain, input, names) ?? { certificate_management_policy: automatic }
      return { body: { ...settings, domain, ...certificate } }
    },
    update: async (body, { region, ...given }, { id }) => {
      if (region !== undefined && region !== '' && !regions.includes(region))
        throw new ServiceError('domain_region_fixed')
      const managed = body.certificate_management_policy === null ? null : await provisioning.progress(id)
      const changes = withoutEcho(given, managed?.certificateId)
      const { certificate_management_policy: _policy, ...settings } = changes
      const chosen = chooseCertificate(body.domain, changes, names)
      const { certificate_id: _id, ...rest } = body
      return { ...(chosen === null ? body : rest), ...settings, ...chosen }
    },
    references: ({ certificate_id: id }) =>
      id === undefined ? [] : [referenceTo('certificate_id', id, [tlsCertificateModel], 'certificate_missing')],
    uniqueKeys: ({ domain }) => [
      {
        name: reservationKeyName,
        value: reservationKey(domain),
        shown: domain,
        taken: 'domain_taken',
        takenByOther: 'domain_taken_by_other',
      },
    ],
    exclusive: ({ domain }) => ({ spans: besideDomain(domain), taken: 'domain_overlaps_other', shown: domain }),
    reply: async ({ id, accountId, body }, call) => {
      const isCustom = !names.isWithin(body.domain)
      const managed = body.certificate_management_policy === null ? null : await provisioning.progress(id)
      const certificateId = body.certificate_id ?? managed?.certificateId ?? null
      return {
        description: body.description,
        metadata: body.metadata,
        domain: body.domain,
        region: '',
        cname_target: isCustom ? names.aliasOf(id, accountId) : null,
        http_endpoint_configuration: null,
        https_endpoint_configuration: null,
        certificate: certificateId === null ? null : refTo(call, certificateId, tlsCertificateModel),
        certificate_management_policy: body.certificate_management_policy,
        certificate_management_status: managed?.status ?? null,
        acme_challenge_cname_target: isCustom && body.domain.startsWith('*.') ? names.challengeOf(id) : null,
        error_redirect_url: body.error_redirect_url ?? null,
        is_dev: false,
        resolves_to: body.resolves_to ?? [],
      }
    },
    inUse: 'domain_in_use',
  })
}

/** `name` once stood for `domain`; without a dot it is a label below the zone. */
function withDomain(input: OlderInput, zone: string): OlderInput {
  const { name, ...others } = input
  if (typeof name !== 'string' || name === '') return input
  if (input['domain']) throw new ServiceError('domain_named_twice')
  return { ...others, domain: name.includes('.') ? name : `${name}.${zone}` }
}

type CertificateChoice = Pick<ReservedDomainBody, 'certificate_id' | 'certificate_management_policy'>

interface DomainInput extends Pick<
  ReservedDomainBody,
  'description' | 'metadata' | 'certificate_id' | 'error_redirect_url'
> {
  readonly certificate_management_policy?: Partial<CertificatePolicy>
}

/** Clients that send back all they were shown send an automatic certificate's id beside its policy, or `""` for none. */
function withoutEcho<Changes extends DomainInput>(
  { certificate_id: id, ...changes }: Changes,
  managedId: string | null | undefined,
): Omit<Changes, 'certificate_id'> & { readonly certificate_id?: string } {
  return id === undefined || id === '' || id === managedId ? changes : { ...changes, certificate_id: id }
}

/** An uploaded certificate and an automatic one exclude each other; what is given replaces what is stored. */
function chooseCertificate(domain: string, input: DomainInput, names: ZoneNames): CertificateChoice | null {
  const { certificate_id, certificate_management_policy: policy } = input
  if (certificate_id !== undefined && policy !== undefined) throw new ServiceError('domain_certificate_twice')
  const isOfZone = names.isWithin(domain)
  if (isOfZone && policy !== undefined) throw new ServiceError('domain_policy_on_own_zone', { domain })
  if (isOfZone && certificate_id !== undefined) throw new ServiceError('domain_certificate_on_own_zone', { domain })
  if (certificate_id !== undefined) return { certificate_id, certificate_management_policy: null }
  return policy === undefined ? null : { certificate_management_policy: completePolicy(policy, defaultKeyType) }
}
