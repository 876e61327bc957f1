import { setTimeout as sleep } from 'node:timers/promises'

const INTERVAL_MS = 50

/**
 * Repeats a check from outside until it passes, for states that no program announces. Rejects with the last failure once
 * `limitMs` is over.
 */
export async function eventually<T>(check: () => Promise<T>, limitMs = 10_000): Promise<T> {
  const deadline = performance.now() + limitMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(INTERVAL_MS)
    }
  }
}
