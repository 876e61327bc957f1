import type { BenchRow } from '../row.ts'
import { dnsAnswers } from './dns-answers.ts'
import { handshakes } from './handshakes.ts'
import { issuing } from './issuing.ts'
import { manyCertificates } from './many-certificates.ts'

/** Names and certificates: DNS, handshakes, many certificates, and how fast a new one comes. */
export const rows: readonly BenchRow[] = [dnsAnswers, handshakes, manyCertificates, issuing]
