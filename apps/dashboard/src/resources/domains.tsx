import { api } from '../api/client.ts'
import { commonFields, type FieldSpec, type ResourceView } from '../resource/resource-view.ts'
import type { AgentIngress, ReservedAddr, ReservedDomain } from '@tunnel/models'
import { Code } from '../ui/code.tsx'
import { type CertificateManagement, CertificateState } from './certificate-state.tsx'

const domainField: FieldSpec = { kind: 'text', name: 'domain', label: 'Domain', isRequired: true, isFixed: true }

export const reservedDomainView: ResourceView<ReservedDomain> = {
  listing: api.reservedDomains,
  page: 'reserved-domains',
  title: 'Reserved domains',
  singular: 'reserved domain',
  intro: 'Names that are yours: agents of other accounts cannot use them.',
  empty: {
    text: 'Reserve a name below the zone of this service, a domain of your own, or a wildcard such as *.site-a.example.com.',
    example: { fields: (zone) => ({ domain: `app.${zone}` }) },
  },
  nameOf: ({ domain }) => domain,
  columns: [
    { id: 'domain', title: 'Domain', text: ({ domain }) => domain },
    { id: 'certificate', title: 'Certificate', text: certificateText },
    { id: 'description', title: 'Description', text: (item) => item.description ?? '' },
  ],
  fields: [domainField, ...commonFields],
  details: ({ domain }) => (domain.startsWith('*.') ? [] : [['Address', `https://${domain}`]]),
  more: (item) => (
    <>
      <DnsRecords lines={recordsOf(item)} management={item} />
      <CertificateState management={item} />
    </>
  ),
  deleteConsequence: ({ domain }) => `${domain} stops serving, and others may reserve it.`,
}

export const agentIngressView: ResourceView<AgentIngress> = {
  listing: api.agentIngresses,
  page: 'agent-ingresses',
  title: 'Agent ingresses',
  singular: 'agent ingress',
  intro: 'A domain of yours that agents connect to, in every region, with certificates that renew themselves.',
  empty: {
    text: 'Add a domain, then point its NS records at the names that you will be shown.',
    example: { fields: () => ({ domain: 'agents.example.com' }) },
  },
  nameOf: ({ domain }) => domain,
  columns: [
    { id: 'domain', title: 'Domain', text: ({ domain }) => domain },
    { id: 'regions', title: 'Regional names', text: (item) => item.region_domains.join(', ') },
    { id: 'certificate', title: 'Certificate', text: certificateText },
  ],
  fields: [domainField, ...commonFields],
  details: (item) => [['Regional names', item.region_domains.join(', ')]],
  more: (item) => (
    <>
      <DnsRecords lines={item.ns_targets.map((target) => `${item.domain}. NS ${target}`)} management={item} />
      <CertificateState management={item} />
    </>
  ),
  deleteConsequence: ({ domain }) =>
    `Agents that connect to ${domain} lose their sessions. Remove the NS records as well.`,
}

export const reservedAddressView: ResourceView<ReservedAddr> = {
  listing: api.reservedAddrs,
  page: 'reserved-addresses',
  title: 'Reserved addresses',
  singular: 'reserved address',
  intro: 'Public TCP addresses that are yours, for tunnels and edges.',
  empty: {
    text: 'Reserve an address; the service chooses a free port.',
    example: { fields: () => ({ description: 'field bus' }) },
  },
  nameOf: ({ addr }) => addr,
  columns: [
    { id: 'addr', title: 'Address', text: ({ addr }) => addr },
    { id: 'region', title: 'Region', text: ({ region }) => region, width: 90 },
    { id: 'description', title: 'Description', text: (item) => item.description ?? '' },
  ],
  fields: commonFields,
  details: ({ addr, region }) => [
    ['Address', addr],
    ['Region', region],
  ],
  deleteConsequence: ({ addr }) => `${addr} is closed, and others may get its port.`,
}

interface DnsRecordsProps {
  readonly lines: readonly string[]
  readonly management: CertificateManagement
}

/** The records to set, and what the service saw when it last looked for them. */
function DnsRecords({ lines, management }: DnsRecordsProps) {
  if (lines.length === 0)
    return <p className="muted">The name is below the zone of this service: there is no DNS record to set.</p>
  const check = dnsCheck(management)
  return (
    <section>
      <h2>DNS records to set</h2>
      <Code label="DNS records" text={lines.join('\n')} />
      {check !== null && <p className={check.isFound ? 'check-ok' : 'check-bad'}>{check.text}</p>}
    </section>
  )
}

/** The provisioning of a certificate looks at the records first; its state arrives by event. */
function dnsCheck({ certificate_management_status: status }: CertificateManagement) {
  if (status === null) return null
  const { provisioning_job: job } = status
  if (job?.error_code === 'DNS_ERROR') return { isFound: false, text: `✗ ${job.msg}` }
  if (job === null) return { isFound: true, text: '✓ The service finds these records.' }
  return null
}

function recordsOf({ domain, cname_target: target, acme_challenge_cname_target: challenge }: ReservedDomain): string[] {
  const base = domain.replace(/^\*\./, '')
  return [
    ...(target === null ? [] : [`${domain}. CNAME ${target}.`]),
    ...(challenge === null ? [] : [`_acme-challenge.${base}. CNAME ${challenge}.`]),
  ]
}

function certificateText({ certificate_management_status: status }: CertificateManagement): string {
  if (status === null) return 'not managed'
  if (status.provisioning_job === null) return 'in order'
  return status.provisioning_job.error_code ? 'needs attention' : 'being obtained'
}
