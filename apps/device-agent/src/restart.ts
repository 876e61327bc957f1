/** Why this process cannot be started anew by itself or by a supervisor, or `""` when it can. */
export function restartHindrance(isSupervised: boolean): string {
  if (process.platform === 'win32') return 'restart is not supported on Windows'
  if (isSupervised || canExec()) return ''
  return 'no supervisor starts this agent again, and this version of Node cannot replace its process'
}

/** Node before 22.15 cannot replace its process. */
export function canExec(): boolean {
  return process.platform !== 'win32' && typeof process.execve === 'function'
}

/** Replaces this process by a fresh one with the same command line. Never returns. */
export function execAgain(): never {
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  return process.execve?.(process.execPath, args, process.env) as never
}
