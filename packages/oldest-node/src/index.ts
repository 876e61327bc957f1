import { existsSync } from 'node:fs'
import { join } from 'node:path'

// A workspace of its own: whoever depends on the package `node` gets that Node for its scripts.
const path = join(import.meta.dirname, '../node_modules/node/bin/node')

/** The program of the oldest Node line that the agent runs on, as Debian 13 has it; null where it is not built for the platform. */
export const oldestNode: string | null = existsSync(path) ? path : null
