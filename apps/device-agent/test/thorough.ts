/** Also the slow cases: in continuous integration, or when TEST_LONG asks for them. */
export const isThorough = Boolean(process.env['CI'] || process.env['TEST_LONG'])
