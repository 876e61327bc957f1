/** What tunnel groups choose tunnels by. */
export type Labels = Readonly<Record<string, string>>

const labelsMax = 50
const keyMaxBytes = 128
const valueMaxBytes = 255

/** @throws Error with the rule that is broken, to be put behind the field's name */
export function checkLabels(labels: Labels): void {
  const entries = Object.entries(labels)
  if (entries.length < 1 || entries.length > labelsMax) throw new Error(`must have 1 to ${labelsMax} entries`)
  for (const [key, value] of entries) {
    if (!isWithin(key, keyMaxBytes)) throw new Error(`must have keys of 1 to ${keyMaxBytes} bytes`)
    if (!isWithin(value, valueMaxBytes)) throw new Error(`must have values of 1 to ${valueMaxBytes} bytes`)
  }
}

function isWithin(text: string, maxBytes: number): boolean {
  return text !== '' && Buffer.byteLength(text) <= maxBytes
}
