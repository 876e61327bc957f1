import { generateKeyPairSync } from 'node:crypto'
import { formatPublicKey, publicKeyOf } from '@tunnel/ssh-certificates'
import type { LoadResult } from '../load/wrk.ts'
import { median } from '../load/statistics.ts'
import type { BenchRow } from '../row.ts'
import { startApiLab } from './api-lab.ts'

const connections = 64

/** POST /ssh_host_certificates: key intake, signature, and a record that is on the disk before the reply. */
export const issuing: BenchRow = {
  name: 'ssh-issuing',
  async measure(run) {
    await using lab = await startApiLab()
    const publicKey = formatPublicKey(publicKeyOf(generateKeyPairSync('ed25519').publicKey))
    const order = {
      ssh_certificate_authority_id: lab.authorityId,
      public_key: publicKey,
      principals: ['a.example.com'],
    }
    const results: LoadResult[] = []
    for (let round = 0; round < run.rounds; round += 1)
      results.push(
        await lab.load('/ssh_host_certificates', { connections, seconds: run.seconds, body: JSON.stringify(order) }),
      )
    return {
      goals: [
        {
          what: 'POST /ssh_host_certificates, durable, 64 connections',
          value: median(results.map((result) => result.requestsPerSecond)),
          unit: '/s',
          better: 'higher',
          required: 1_000,
        },
        {
          what: 'POST /ssh_host_certificates: p99',
          value: median(results.map((result) => result.p99Ms)),
          unit: 'ms',
          better: 'lower',
        },
      ],
    }
  },
}
