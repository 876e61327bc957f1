import type { BenchRow } from '../row.ts'
import { footprint } from './footprint.ts'
import { reconnect, reconnectMany } from './reconnect.ts'

/** What the agent costs its device, and how a fleet comes back. */
export const rows: readonly BenchRow[] = [footprint, reconnect, reconnectMany]
