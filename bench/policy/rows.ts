import type { BenchRow } from '../row.ts'
import { engine } from './engine.ts'

/** The rules engine. */
export const rows: readonly BenchRow[] = [engine]
