import type { BenchRow } from '../row.ts'
import { downloads } from './downloads.ts'
import { smallGet } from './small-get.ts'

/** The speed and memory of the tunnel itself. */
export const rows: readonly BenchRow[] = [smallGet, downloads]
