/** Slower cases run where nobody waits for them: in the pipeline, or when asked for. */
export const isThorough = Boolean(process.env['CI'] ?? process.env['TEST_LONG'])
