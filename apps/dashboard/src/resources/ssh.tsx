import { api } from '../api/client.ts'
import { commonFields, type FieldSpec, type ResourceView } from '../resource/resource-view.ts'
import { ResourceLink } from '../resource/resource-link.tsx'
import type { SshCertificateAuthority, SshHostCertificate, SshUserCertificate } from '@tunnel/models'
import { Code } from '../ui/code.tsx'
import { DownloadLink } from '../ui/download-link.tsx'
import { Time } from '../ui/time.tsx'

export const sshAuthorityView: ResourceView<SshCertificateAuthority> = {
  listing: api.sshCertificateAuthorities,
  page: 'ssh-authorities',
  title: 'SSH authorities',
  singular: 'SSH authority',
  intro: 'Sign host and user keys, so that nobody has to accept an unknown host or keep lists of keys.',
  empty: {
    text: 'Create an authority, then let it sign the host key of a device.',
    example: { fields: () => ({ description: 'fleet', private_key_type: 'ed25519' }) },
  },
  nameOf: (authority) => authority.description || authority.id,
  columns: [
    { id: 'description', title: 'Description', text: (authority) => authority.description ?? authority.id },
    { id: 'type', title: 'Key', text: (authority) => authority.key_type },
    {
      id: 'created',
      title: 'Created',
      text: (item) => item.created_at ?? '',
      cell: (item) => <Time value={item.created_at} />,
      width: 225,
    },
  ],
  fields: [
    {
      kind: 'choice',
      name: 'private_key_type',
      label: 'Key type',
      isFixed: true,
      options: [
        { id: 'ed25519', label: 'Ed25519 (recommended)' },
        { id: 'ecdsa', label: 'ECDSA' },
        { id: 'rsa', label: 'RSA' },
      ],
    },
    ...commonFields,
  ],
  details: (authority) => [['Key type', authority.key_type]],
  more: (authority) => (
    <>
      <h2>Trust it</h2>
      <p>On every machine that connects to your hosts, in known_hosts:</p>
      <Code label="known_hosts line" text={`@cert-authority * ${authority.public_key}`} />
      <p>On every host that your users log in to, in a file that sshd_config names as TrustedUserCAKeys:</p>
      <Code label="TrustedUserCAKeys line" text={authority.public_key} />
    </>
  ),
  deleteConsequence: () => 'It cannot be deleted while certificates that it signed exist.',
}

const signingFields: readonly FieldSpec[] = [
  {
    kind: 'reference',
    name: 'ssh_certificate_authority_id',
    label: 'Authority',
    to: api.sshCertificateAuthorities,
    isRequired: true,
    isFixed: true,
  },
  {
    kind: 'text',
    name: 'public_key',
    label: 'Public key',
    rows: 4,
    isRequired: true,
    isFixed: true,
    hint: 'One line, as in a .pub file. Never a private key.',
  },
  { kind: 'lines', name: 'principals', label: 'Principals', isFixed: true },
  {
    kind: 'text',
    name: 'valid_until',
    label: 'Valid until',
    isFixed: true,
    hint: 'RFC 3339, such as 2030-01-31T00:00:00Z. Empty takes the default.',
  },
  ...commonFields,
]

type SshCertificate = SshHostCertificate | SshUserCertificate

const certificateColumns: ResourceView<SshCertificate>['columns'] = [
  { id: 'description', title: 'Description', text: (certificate) => certificate.description ?? certificate.id },
  { id: 'principals', title: 'Principals', text: (certificate) => principalText(certificate.principals) },
  { id: 'type', title: 'Key', text: (certificate) => certificate.key_type },
  {
    id: 'until',
    title: 'Valid until',
    text: (certificate) => certificate.valid_until,
    cell: (certificate) => <Time value={certificate.valid_until} />,
    width: 225,
  },
]

const certificateDetails: ResourceView<SshCertificate>['details'] = (certificate) => [
  ['Principals', principalText(certificate.principals)],
  ['Valid from', <Time key="from" value={certificate.valid_after} />],
  ['Valid until', <Time key="until" value={certificate.valid_until} />],
  ['Key type', certificate.key_type],
  [
    'Authority',
    <ResourceLink
      key="ca"
      to={api.sshCertificateAuthorities}
      page="ssh-authorities"
      id={certificate.ssh_certificate_authority_id}
    />,
  ],
]

export const sshHostCertificateView: ResourceView<SshHostCertificate> = {
  listing: api.sshHostCertificates,
  page: 'ssh-host-certificates',
  title: 'SSH host certificates',
  singular: 'host certificate',
  intro: 'Prove to ssh that a host is yours.',
  empty: {
    text: 'Upload the public key of a host, or let its agent do it:',
    more: <Code label="Command" text="SERVICE_API_KEY=… npm run --silent agent -- ssh-host-cert --ca sshca_…" />,
  },
  nameOf: (certificate) => certificate.description || certificate.id,
  columns: certificateColumns,
  fields: signingFields,
  details: certificateDetails,
  more: (certificate) => (
    <>
      <h2>Install it on the host</h2>
      <DownloadLink text={`${certificate.certificate}\n`} fileName={`ssh_host_${certificate.key_type}_key-cert.pub`} />
      <p>In sshd_config:</p>
      <Code label="sshd_config line" text={`HostCertificate /etc/ssh/ssh_host_${certificate.key_type}_key-cert.pub`} />
    </>
  ),
  deleteConsequence: () => 'It enters the revocation list of its authority; clients that use the list refuse it.',
}

export const sshUserCertificateView: ResourceView<SshUserCertificate> = {
  listing: api.sshUserCertificates,
  page: 'ssh-user-certificates',
  title: 'SSH user certificates',
  singular: 'user certificate',
  intro: 'Let people log in without a list of keys on every host.',
  empty: {
    text: 'Upload the public key of a person. The certificate is valid for a day unless you say otherwise.',
    example: {
      fields: () => ({ ssh_certificate_authority_id: 'sshca_…', principals: ['ada'] }),
      files: { public_key: 'id_ed25519.pub' },
    },
  },
  nameOf: (certificate) => certificate.description || certificate.id,
  columns: certificateColumns,
  fields: signingFields,
  details: certificateDetails,
  more: (certificate) => (
    <DownloadLink text={`${certificate.certificate}\n`} fileName={`id_${certificate.key_type}-cert.pub`} />
  ),
  deleteConsequence: () => 'It enters the revocation list of its authority; hosts that use the list refuse it.',
}

function principalText(principals: readonly string[]): string {
  return principals.length === 0 ? 'any' : principals.join(', ')
}
