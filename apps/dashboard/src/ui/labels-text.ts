/** A map such as labels or headers in one line. */
export function labelsText(map: Readonly<Record<string, string | number>>): string {
  return Object.entries(map)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')
}
