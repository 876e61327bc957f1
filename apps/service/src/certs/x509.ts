// The library's containers need this before they load.
import 'reflect-metadata'

export {
  AuthorityKeyIdentifierExtension,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
