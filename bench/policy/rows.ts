import type { BenchRow } from '../row.ts'
import { engine } from './engine.ts'
import { throughTunnel } from './through-tunnel.ts'

/** The rules engine, by itself and on the way of requests. */
export const rows: readonly BenchRow[] = [engine, throughTunnel]
