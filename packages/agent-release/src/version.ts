/** `major.minor.patch`, nothing else. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** Null when the text is not a version. */
export function parseVersion(text: string): Version | null {
  const [, major, minor, patch] = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(text) ?? []
  if (major === undefined || minor === undefined || patch === undefined) return null
  return { major: Number(major), minor: Number(minor), patch: Number(patch) }
}

/** Negative, zero or positive as `a` is older than, equal to, or newer than `b`. @throws RangeError for other text */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  if (left === null || right === null) throw new RangeError(`not a version: ${left === null ? a : b}`)
  return left.major - right.major || left.minor - right.minor || left.patch - right.patch
}
