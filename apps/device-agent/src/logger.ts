import { type Logger, pino } from 'pino'

export type { Logger }

/** JSON lines on stdout, one per event; a service manager keeps them. */
export function createLogger(): Logger {
  return pino({
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
}
