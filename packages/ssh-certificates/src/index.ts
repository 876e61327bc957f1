export { PublicKeyError, type MistakeKind, type PublicKeyMistake } from './keys/public-key-error.ts'
export { parsePublicKey } from './keys/parse-public-key.ts'
export { type SshPublicKey, formatPublicKey, publicKeyOf } from './keys/public-key.ts'
export { type AlgorithmName, type KeyType, algorithms } from './keys/algorithms.ts'
export {
  type CertificateContent,
  type CertificateOptions,
  type CertificateType,
  certificatePrincipalsMax,
} from './certificates/certificate-content.ts'
export {
  type CertificateAuthority,
  certificateAuthority,
  formatCertificate,
  issueCertificate,
} from './certificates/issue-certificate.ts'
export { type DecodedCertificate, decodeCertificate, isSignedBy } from './certificates/decode-certificate.ts'
export { type HostPrincipalMistake, canonicalHostPrincipal } from './certificates/host-principal.ts'
export { type RevocationList, encodeRevocationList } from './revocation/revocation-list.ts'
