// The library's containers need this before they load.
import 'reflect-metadata'
import type { X509Certificate } from 'node:crypto'
import {
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate as DecodedCertificate,
} from '@peculiar/x509'
import { type TlsCertificate, wireTime } from '@tunnel/models'

type Facts = Omit<
  TlsCertificate,
  'id' | 'uri' | 'created_at' | 'description' | 'metadata' | 'certificate_pem' | 'issued_at' | 'private_key_type'
>

/** What replies show of a certificate. */
export function certificateFacts(certificate: X509Certificate): Facts {
  const decoded = new DecodedCertificate(certificate.raw)
  const subject = (field: string) => decoded.subjectName.getField(field)[0] ?? ''
  const names = decoded.getExtension(SubjectAlternativeNameExtension)?.names.items ?? []
  const namesOf = (type: string) => names.filter((name) => name.type === type).map((name) => name.value)
  return {
    subject_common_name: subject('CN'),
    subject_organization: subject('O'),
    subject_organizational_unit: subject('OU'),
    subject_locality: subject('L'),
    subject_province: subject('ST'),
    subject_country: subject('C'),
    issuer_common_name: decoded.issuerName.getField('CN')[0] ?? '',
    subject_alternative_names: { dns_names: namesOf('dns'), ips: namesOf('ip') },
    not_before: wireTime(decoded.notBefore.getTime()),
    not_after: wireTime(decoded.notAfter.getTime()),
    key_usages: keyUsages(decoded),
    extended_key_usages: extendedKeyUsages(decoded),
    serial_number: decoded.serialNumber,
  }
}

function keyUsages(certificate: DecodedCertificate): string[] {
  const flags = certificate.getExtension(KeyUsagesExtension)?.usages ?? 0
  const all = Object.entries(KeyUsageFlags).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
  return all.filter(([, flag]) => (flags & flag) !== 0).map(([name]) => name)
}

function extendedKeyUsages(certificate: DecodedCertificate): string[] {
  const nameOf = new Map<string, string>(Object.entries(ExtendedKeyUsage).map(([name, oid]) => [oid, name]))
  const usages = certificate.getExtension(ExtendedKeyUsageExtension)?.usages ?? []
  return usages.map((oid) => nameOf.get(String(oid)) ?? String(oid))
}
