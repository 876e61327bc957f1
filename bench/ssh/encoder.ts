import { type KeyObject, generateKeyPairSync, randomBytes } from 'node:crypto'
import { type CertificateContent, certificateAuthority, issueCertificate, publicKeyOf } from '@tunnel/ssh-certificates'
import { median } from '../load/statistics.ts'
import type { BenchRow, BenchRun } from '../row.ts'

const authorities: Readonly<Record<string, () => KeyObject>> = {
  ed25519: () => generateKeyPairSync('ed25519').privateKey,
  'ecdsa p256': () => ecdsa('P-256'),
  'ecdsa p384': () => ecdsa('P-384'),
  'ecdsa p521': () => ecdsa('P-521'),
  'rsa 2048': () => rsa(2048),
  'rsa 4096': () => rsa(4096),
}
const required = 10_000

/** Signing in one thread, with no storage and no HTTP around it. */
export const encoder: BenchRow = {
  name: 'ssh-encoder',
  measure: (run) => {
    const lines = Object.entries(authorities).map(([name, makeKey]) => [name, rateOf(makeKey(), run)] as const)
    const goals = lines.slice(0, 2).map(([name, rate]) => ({
      what: `certificates signed on one core by an authority with ${name}`,
      value: rate,
      unit: '/s',
      better: 'higher' as const,
      required,
    }))
    const sheets = [{ title: 'Encoder alone, one core', columns: ['Authority', 'certificates/s'], lines }]
    return Promise.resolve({ goals, sheets })
  },
}

function rateOf(privateKey: KeyObject, { rounds, seconds }: BenchRun): number {
  const authority = certificateAuthority(privateKey)
  const content: CertificateContent = {
    type: 'host',
    publicKey: publicKeyOf(generateKeyPairSync('ed25519').publicKey),
    serial: 0n,
    keyId: 'shcrt_2cXvdBvHW3W2pWQpLGcF0m7vXyz',
    principals: ['pi-7.tunnel.example.com'],
    validAfter: 1_767_225_600n,
    validBefore: 1_798_761_600n,
    criticalOptions: {},
    extensions: {},
  }
  const sign = (): Buffer => issueCertificate(content, authority, randomBytes(32))
  countDuring(0.1, sign)
  return median(Array.from({ length: rounds }, () => countDuring(seconds / 2, sign) / (seconds / 2)))
}

function countDuring(seconds: number, work: () => unknown): number {
  const end = performance.now() + seconds * 1000
  let count = 0
  for (; performance.now() < end; count += 1) work()
  return count
}

function ecdsa(namedCurve: string): KeyObject {
  return generateKeyPairSync('ec', { namedCurve }).privateKey
}

function rsa(modulusLength: number): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength }).privateKey
}
