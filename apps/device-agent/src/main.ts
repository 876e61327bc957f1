#!/usr/bin/env node
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runProgram } from './cli/program.ts'

export { runProgram } from './cli/program.ts'

// The launcher imports this file instead of running it.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await runProgram(process.argv.slice(2), { isLaunched: false })
}
