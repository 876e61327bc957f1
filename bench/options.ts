import { parseArgs } from 'node:util'
import type { BenchRun } from './row.ts'

export interface BenchOptions extends BenchRun {
  /** Names, or beginnings of names, of the rows to run; empty for all. */
  readonly only: readonly string[]
}

/** Reads the command line; throws when it is wrong. */
export function readOptions(args: readonly string[], note: (line: string) => void): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  return {
    only: values.only,
    isQuick: values.quick,
    rounds: positive('rounds', values.rounds ?? (values.quick ? '1' : '3')),
    seconds: positive('seconds', values.seconds ?? (values.quick ? '1' : '6')),
    note,
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1 on`)
  return value
}
