const firstDelayMs = 1000
const delayMaxMs = 300_000

/** When to ask again for an address that was refused `failures` times before. `random` in [0, 1). */
export function planBindRetry(failures: number, random: number): number {
  const delayMs = Math.min(delayMaxMs, firstDelayMs * 2 ** Math.min(failures, 16))
  return delayMs / 4 + random * delayMs * 0.75
}
