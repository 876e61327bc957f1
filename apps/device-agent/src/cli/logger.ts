import { destination, type Logger, pino, stdTimeFunctions } from 'pino'

export type { Logger }

const standardError = 2

/** JSON lines, one per event, on standard error: standard output tells only what a starter waits for. */
export function createLogger(): Logger {
  const options = {
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  }
  return pino(options, destination({ dest: standardError, sync: true }))
}
