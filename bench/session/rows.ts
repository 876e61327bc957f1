import type { BenchRow } from '../row.ts'
import { downloads } from './downloads.ts'
import { drip } from './drip.ts'
import { longLink } from './long-link.ts'
import { idleSessions, manySessions } from './many-sessions.ts'
import { slowVisitor } from './slow-visitor.ts'
import { smallGet } from './small-get.ts'

/** The speed and memory of the tunnel itself. */
export const rows: readonly BenchRow[] = [smallGet, downloads, longLink, drip, idleSessions, manySessions, slowVisitor]
