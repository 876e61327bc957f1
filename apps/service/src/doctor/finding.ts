/** What one check found. `text` names the failing part and what to do. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'failed' | 'skipped'
  readonly text: string
}

/** Runs a check; what it throws is its failure. A check returns what it saw, or null when it does not apply. */
export async function find(
  check: string,
  run: () => Promise<string | null>,
  unneeded = 'not needed with this configuration',
): Promise<Finding> {
  try {
    const text = await run()
    return text === null ? { check, state: 'skipped', text: unneeded } : { check, state: 'ok', text }
  } catch (error) {
    return { check, state: 'failed', text: error instanceof Error ? error.message : String(error) }
  }
}
