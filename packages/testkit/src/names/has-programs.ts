import { execFileSync } from 'node:child_process'

/** Whether programs of the system are there; tests that need one are skipped otherwise. */
export function hasPrograms(...names: string[]): boolean {
  return names.every((name) => {
    try {
      execFileSync('sh', ['-c', `command -v ${name}`])
      return true
    } catch {
      return false
    }
  })
}
