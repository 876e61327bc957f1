/** What the exit status tells a supervisor; zero alone means "stay stopped". */
export const ExitCode = {
  stopped: 0,
  failure: 1,
  /** The command line or the configuration is wrong: starting again cannot help (EX_USAGE). */
  usage: 64,
  /** Start again, please: a restart was asked for (EX_TEMPFAIL). */
  restart: 75,
  /** The authtoken file or the identity file cannot be read (EX_CONFIG). */
  secretsUnreadable: 78,
} as const
