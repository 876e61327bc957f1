import type { CertificateAuthority, TlsCertificate } from '@tunnel/models'
import { api } from '../api/client.ts'
import { commonFields, type ResourceView } from '../resource/resource-view.ts'
import { DownloadLink } from '../ui/download-link.tsx'
import { Time } from '../ui/time.tsx'

export const tlsCertificateView: ResourceView<TlsCertificate> = {
  listing: api.tlsCertificates,
  page: 'tls-certificates',
  title: 'TLS certificates',
  singular: 'TLS certificate',
  intro: 'Certificates that you uploaded, and those that the service obtains for your domains.',
  empty: {
    text: 'Upload one for a domain of yours. Domains with automatic certificates need none.',
    example: { fields: () => ({}), files: { certificate_pem: 'fullchain.pem', private_key_pem: 'privkey.pem' } },
  },
  nameOf: (certificate) => certificate.description || certificate.subject_common_name || certificate.id,
  columns: [
    { id: 'names', title: 'Names', text: namesOf, width: 240 },
    { id: 'issuer', title: 'Issuer', text: (certificate) => certificate.issuer_common_name },
    {
      id: 'until',
      title: 'Valid until',
      text: (certificate) => certificate.not_after,
      cell: (certificate) => <Time value={certificate.not_after} />,
      width: 225,
    },
  ],
  fields: [
    {
      kind: 'text',
      name: 'certificate_pem',
      label: 'Certificate chain',
      rows: 8,
      isRequired: true,
      isFixed: true,
      hint: 'PEM, the certificate of the domain first.',
    },
    {
      kind: 'text',
      name: 'private_key_pem',
      label: 'Private key',
      rows: 6,
      isRequired: true,
      isFixed: true,
      hint: 'PEM, not encrypted. It is sealed when stored and never shown.',
    },
    ...commonFields,
  ],
  details: (certificate) => [
    ['Names', namesOf(certificate)],
    ['Issuer', certificate.issuer_common_name],
    ['Valid from', <Time key="from" value={certificate.not_before} />],
    ['Valid until', <Time key="until" value={certificate.not_after} />],
    ['Key', certificate.private_key_type],
    ['Serial number', <code key="serial">{certificate.serial_number}</code>],
  ],
  more: (certificate) => <DownloadLink text={certificate.certificate_pem} fileName="certificate.pem" />,
  deleteConsequence: () => 'Names that it serves fall back to another certificate, or cannot be reached by TLS.',
}

export const certificateAuthorityView: ResourceView<CertificateAuthority> = {
  listing: api.certificateAuthorities,
  page: 'certificate-authorities',
  title: 'Certificate authorities',
  singular: 'certificate authority',
  intro: 'Authorities whose client certificates an edge with mutual TLS accepts.',
  empty: {
    text: 'Upload the root that signed the certificates of your visitors.',
    example: { fields: () => ({}), files: { ca_pem: 'ca.pem' } },
  },
  nameOf: (authority) => authority.description || authority.subject_common_name || authority.id,
  columns: [
    { id: 'name', title: 'Name', text: (authority) => authority.subject_common_name },
    { id: 'description', title: 'Description', text: (authority) => authority.description ?? '' },
    {
      id: 'until',
      title: 'Valid until',
      text: (authority) => authority.not_after,
      cell: (authority) => <Time value={authority.not_after} />,
      width: 225,
    },
  ],
  fields: [
    { kind: 'text', name: 'ca_pem', label: 'Certificate', rows: 8, isRequired: true, isFixed: true, hint: 'PEM.' },
    ...commonFields,
  ],
  details: (authority) => [
    ['Name', authority.subject_common_name],
    ['Valid until', <Time key="until" value={authority.not_after} />],
  ],
  more: (authority) => <DownloadLink text={authority.ca_pem} fileName="ca.pem" />,
  deleteConsequence: () => 'It can be deleted only while no edge uses it.',
}

function namesOf({ subject_alternative_names: names, subject_common_name: name }: TlsCertificate): string {
  return [...names.dns_names, ...names.ips].join(', ') || name
}
