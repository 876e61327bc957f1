import type { BenchRow } from '../row.ts'
import { encoder } from './encoder.ts'
import { issuing } from './issuing.ts'
import { keyGeneration } from './key-generation.ts'

/** SSH certificates: the encoder alone, the API around it, and what its slowest work does to others. */
export const rows: readonly BenchRow[] = [encoder, issuing, keyGeneration]
