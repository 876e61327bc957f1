import type { Readable, Writable } from 'node:stream'
import type { ParseArgsConfig } from 'node:util'
import type { ServiceConfig } from '../config.ts'

export interface CommandIo {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
}

export interface CommandInput {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
  readonly files: readonly string[]
  readonly settings: ServiceConfig
  readonly io: CommandIo
}

/** One command of the service program besides `serve`. */
export interface Command {
  readonly name: readonly string[]
  readonly usage: string
  readonly options: NonNullable<ParseArgsConfig['options']>
  /** How many file names it takes. */
  readonly positionals: number
  run(input: CommandInput): Promise<void>
}

/** The command line is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The value of an option that must be given. */
export function requiredOption(input: CommandInput, name: string): string {
  const value = input.values[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is required`)
  return value
}

/** Prints one JSON line for programs with `--json`, otherwise lines for people. */
export function printResult(input: CommandInput, result: object, lines: readonly string[]): void {
  const text = input.values['json'] === true ? JSON.stringify(result) : lines.join('\n')
  input.io.stdout.write(`${text}\n`)
}
