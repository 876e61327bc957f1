import { buildFacts } from '../build-facts.ts'
import type { Hindrances } from '../remote-management.ts'

/** What this process cannot do with itself, as the service is told. */
export function findHindrances(isSupervised: boolean, isLaunched: boolean): Hindrances {
  return { restart: restartHindrance(isSupervised), update: updateHindrance(isLaunched) }
}

function restartHindrance(isSupervised: boolean): string {
  if (process.platform === 'win32') return 'restart is not supported on Windows'
  if (isSupervised || canExec()) return ''
  return 'no supervisor starts this agent again, and this version of Node cannot replace its process'
}

function updateHindrance(isLaunched: boolean): string {
  if (!isLaunched) return 'this agent was not started by its launcher, so it cannot update itself'
  return buildFacts.releaseRoots.length > 0 ? '' : 'no release key was built into this agent'
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
