export type KeyType = 'rsa' | 'ecdsa' | 'ed25519'

/** A curve under the names that SSH and JWK give it; a coordinate has `coordinateBytes` bytes. */
export interface Curve {
  readonly sshName: string
  readonly jwkName: string
  readonly coordinateBytes: number
  /** The hash that RFC 5656, section 6.2.1 ties to the size of the curve. */
  readonly hash: string
}

interface Algorithm {
  readonly keyType: KeyType
  readonly certificateName: string
  readonly curve?: Curve
}

const nistp256 = { sshName: 'nistp256', jwkName: 'P-256', coordinateBytes: 32, hash: 'sha256' }
const nistp384 = { sshName: 'nistp384', jwkName: 'P-384', coordinateBytes: 48, hash: 'sha384' }
const nistp521 = { sshName: 'nistp521', jwkName: 'P-521', coordinateBytes: 66, hash: 'sha512' }

/** Every public key algorithm that can sign certificates and be certified, by its name on the wire. */
export const algorithms = {
  'ssh-ed25519': { keyType: 'ed25519', certificateName: 'ssh-ed25519-cert-v01@openssh.com' },
  'ssh-rsa': { keyType: 'rsa', certificateName: 'ssh-rsa-cert-v01@openssh.com' },
  'ecdsa-sha2-nistp256': ecdsa('ecdsa-sha2-nistp256-cert-v01@openssh.com', nistp256),
  'ecdsa-sha2-nistp384': ecdsa('ecdsa-sha2-nistp384-cert-v01@openssh.com', nistp384),
  'ecdsa-sha2-nistp521': ecdsa('ecdsa-sha2-nistp521-cert-v01@openssh.com', nistp521),
} as const satisfies Record<string, Algorithm>

export type AlgorithmName = keyof typeof algorithms

export function isAlgorithmName(name: string): name is AlgorithmName {
  return Object.hasOwn(algorithms, name)
}

/** The algorithm of the key inside a certificate, by the certificate's own type name. */
export function algorithmOfCertificate(certificateName: string): AlgorithmName | undefined {
  return algorithmNames.find((name) => algorithms[name].certificateName === certificateName)
}

export function curveOf(name: AlgorithmName): Curve | undefined {
  const algorithm: Algorithm = algorithms[name]
  return algorithm.curve
}

export function algorithmOfCurve(jwkName: string | undefined): AlgorithmName | undefined {
  return algorithmNames.find((name) => jwkName !== undefined && curveOf(name)?.jwkName === jwkName)
}

const algorithmNames = Object.keys(algorithms).filter(isAlgorithmName)

function ecdsa(certificateName: string, curve: Curve): Algorithm & { keyType: 'ecdsa' } {
  return { keyType: 'ecdsa', certificateName, curve }
}
